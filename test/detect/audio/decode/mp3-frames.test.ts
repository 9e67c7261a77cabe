import { describe, expect, it } from 'vitest'
import { Mp3Frames } from '../../../../src/detect/audio/decode/mp3-frames.js'
import { chunksOf, collected } from '../../../support/chunks.js'

interface Header {
  version: 1 | 2 | 2.5
  layer: 1 | 2 | 3
  /** Index into the table of bit rates. */
  bitrate: number
  rate?: number
  padding?: 0 | 1
  mono?: boolean
}

const VERSION_BITS = { 1: 3, 2: 2, 2.5: 0 }

/** A header of ISO/IEC 11172-3, 2.4.1.3, in a frame of `bytes` bytes. */
function frame({ version, layer, bitrate, rate = 0, padding = 0, mono = false }: Header, bytes: number): Buffer {
  const whole = Buffer.alloc(bytes, 0x55)
  const word =
    ((0x7ff << 21) >>> 0) +
    VERSION_BITS[version] * 2 ** 19 +
    (4 - layer) * 2 ** 17 +
    2 ** 16 +
    bitrate * 2 ** 12 +
    rate * 2 ** 10 +
    padding * 2 ** 9 +
    (mono ? 3 : 0) * 2 ** 6
  whole.writeUInt32BE(word, 0)
  return whole
}

const framesOf = async (bytes: Buffer, chunkBytes?: number, frames = new Mp3Frames()) =>
  Buffer.concat(await collected(frames.of(chunksOf(bytes, chunkBytes))))

const repeated = (one: Buffer, times: number) => Buffer.concat(Array.from({ length: times }, () => one))
/** MPEG 1 layer III, 128 kbit/s at 44.1 kHz: 417 bytes. */
const PLAIN = frame({ version: 1, layer: 3, bitrate: 9 }, 417)
const MONO = frame({ version: 1, layer: 3, bitrate: 9, mono: true }, 417)

describe('the length of a frame', () => {
  // Computed by hand from the formulas of ISO/IEC 11172-3 and 13818-3: 144 (layer III of MPEG 2: 72) * bit rate / sample rate.
  it.each<[string, Header, number]>([
    ['MPEG 1 layer III', { version: 1, layer: 3, bitrate: 9 }, 417],
    ['with padding', { version: 1, layer: 3, bitrate: 9, padding: 1 }, 418],
    ['at 48 kHz', { version: 1, layer: 3, bitrate: 9, rate: 1 }, 384],
    ['at 32 kHz', { version: 1, layer: 3, bitrate: 9, rate: 2 }, 576],
    ['its highest bit rate', { version: 1, layer: 3, bitrate: 14 }, 1044],
    ['its lowest bit rate', { version: 1, layer: 3, bitrate: 1 }, 104],
    ['MPEG 2 layer III at 22.05 kHz', { version: 2, layer: 3, bitrate: 8 }, 208],
    ['MPEG 2.5 layer III at 11.025 kHz', { version: 2.5, layer: 3, bitrate: 8 }, 417],
    ['MPEG 2.5 layer III at 8 kHz', { version: 2.5, layer: 3, bitrate: 1, rate: 2 }, 72],
    ['MPEG 1 layer II', { version: 1, layer: 2, bitrate: 10 }, 626],
    ['the longest: layer II, 384 kbit/s at 32 kHz', { version: 1, layer: 2, bitrate: 14, rate: 2 }, 1728],
    ['MPEG 2 layer II at 24 kHz', { version: 2, layer: 2, bitrate: 8, rate: 1 }, 384],
    ['MPEG 1 layer I', { version: 1, layer: 1, bitrate: 12 }, 416],
    ['MPEG 1 layer I with padding', { version: 1, layer: 1, bitrate: 12, padding: 1 }, 420],
    ['MPEG 2 layer I at 16 kHz', { version: 2, layer: 1, bitrate: 6, rate: 2 }, 288],
  ])('%s', async (_, header, bytes) => {
    const whole = repeated(frame(header, bytes), 3)
    // Junk between the frames shows where each one was taken to end.
    const apart = Buffer.concat([whole, Buffer.alloc(50), whole])
    expect((await framesOf(apart)).equals(repeated(frame(header, bytes), 6))).toBe(true)
  })

  it.each<[string, Header]>([
    ['a free bit rate', { version: 1, layer: 3, bitrate: 0 }],
    ['the forbidden bit rate', { version: 1, layer: 3, bitrate: 15 }],
    ['the reserved sample rate', { version: 1, layer: 3, bitrate: 9, rate: 3 }],
  ])('rejects a header with %s', async (_, header) => {
    expect(await framesOf(repeated(frame(header, 417), 3))).toHaveLength(0)
  })

  it.each([
    ['the reserved version', 0x08],
    ['the reserved layer', 0x06],
    ['a broken sync word', 0xe0],
  ])('rejects a header with %s', async (_, bits) => {
    const spoilt = Buffer.from(PLAIN)
    const second = spoilt[1] as number
    spoilt[1] = bits === 0x08 ? (second & ~0x18) | 0x08 : second & ~bits
    expect(await framesOf(repeated(spoilt, 3))).toHaveLength(0)
  })
})

describe('extracting frames', () => {
  it.each([1000, 1732, 1733, 4096, 64 * 1024])('returns the same from chunks of %i bytes', async (chunkBytes) => {
    const bytes = Buffer.concat([Buffer.alloc(3000, 0xff), repeated(PLAIN, 20), Buffer.from('TAG tail')])
    expect((await framesOf(bytes, chunkBytes)).equals(repeated(PLAIN, 20))).toBe(true)
  })

  it('takes a single header for junk, because no other follows it in step', async () => {
    const lone = Buffer.concat([Buffer.alloc(900), PLAIN, Buffer.alloc(900)])
    expect(await framesOf(lone)).toHaveLength(0)
  })

  it('drops a last frame that was cut', async () => {
    const cut = Buffer.concat([repeated(PLAIN, 3), PLAIN.subarray(0, 416)])
    expect((await framesOf(cut)).equals(repeated(PLAIN, 3))).toBe(true)
  })

  it('resynchronizes after junk of any length', async () => {
    const junk = Buffer.from('APIC'.repeat(300))
    for (const length of [1, 416, 417, 418, 1200]) {
      const bytes = Buffer.concat([repeated(PLAIN, 2), junk.subarray(0, length), repeated(PLAIN, 2)])
      expect((await framesOf(bytes)).equals(repeated(PLAIN, 4)), `${length} bytes of junk`).toBe(true)
    }
  })
})

describe('frames of several sample rates', () => {
  /** MPEG 1 layer III, 128 kbit/s at 32 kHz. */
  const SLOW = frame({ version: 1, layer: 3, bitrate: 9, rate: 2 }, 576)
  /** MPEG 2 layer III, 64 kbit/s at 22.05 kHz: the same index of the rate as PLAIN. */
  const HALF = frame({ version: 2, layer: 3, bitrate: 8 }, 208)

  const runsOf = async (bytes: Buffer) =>
    (await collected(new Mp3Frames().of(chunksOf(bytes)))).map(({ length }) => length)

  it('come in runs of one rate each, whatever is read at a time', async () => {
    const bytes = Buffer.concat([repeated(PLAIN, 9), repeated(SLOW, 5), repeated(HALF, 20), repeated(PLAIN, 9)])
    const parts = [9 * 417, 5 * 576, 20 * 208, 9 * 417]
    expect((await framesOf(bytes)).equals(bytes)).toBe(true)
    // The last frames of a chunk wait for what follows them.
    const runs = await runsOf(bytes)
    expect(runs.slice(0, 3)).toEqual(parts.slice(0, 3))
    expect(runs.slice(3).reduce((sum, length) => sum + length, 0)).toBe(parts[3])
  })

  it('are not split by one damaged header, which is skipped', async () => {
    const damaged = Buffer.from(PLAIN)
    damaged[2] = (damaged[2] as number) | 0x08
    const bytes = Buffer.concat([repeated(PLAIN, 3), damaged, repeated(PLAIN, 3)])
    expect(await framesOf(bytes)).toEqual(repeated(PLAIN, 6))
  })

  it('are not split where only bit rate, padding or channels change', async () => {
    const others = [
      frame({ version: 1, layer: 3, bitrate: 14 }, 1044),
      frame({ version: 1, layer: 3, bitrate: 9, padding: 1 }, 418),
      MONO,
    ]
    const bytes = Buffer.concat([PLAIN, ...others, PLAIN, repeated(PLAIN, 5)])
    expect((await runsOf(bytes))[0]).toBeGreaterThan(PLAIN.length + 1044 + 418)
  })
})

it('mono is what all frames so far are', async () => {
  const frames = new Mp3Frames()
  await framesOf(repeated(MONO, 4), 5000, frames)
  expect(frames.isMono).toBe(true)
  await framesOf(Buffer.concat([repeated(PLAIN, 2), repeated(MONO, 2)]), 5000, frames)
  expect(frames.isMono).toBe(false)
})

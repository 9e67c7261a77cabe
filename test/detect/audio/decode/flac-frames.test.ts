import fs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../../src/core/files.js'
import { flacFrames } from '../../../../src/detect/audio/decode/flac-frames.js'
import { silentFlac } from '../../../support/silent-flac.js'

/** The mark, and the block of facts about the stream. */
const HEAD_BYTES = 4 + 4 + 34
const FRAMES = silentFlac(100).subarray(HEAD_BYTES)
const FRAME_BYTES = silentFlac(1).length - HEAD_BYTES
const HEAD = silentFlac(0)

async function framesOf(bytes: Buffer, chunkBytes = bytes.length): Promise<Buffer> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const runs: Uint8Array[] = []
  for await (const run of flacFrames(chunks())) runs.push(run)
  return Buffer.concat(runs)
}

/** A block of metadata of another kind, which holds what looks like frames. */
function picture(bytes: Buffer): Buffer {
  const head = Buffer.from([6, 0, 0, 0])
  head.writeUIntBE(bytes.length, 1, 3)
  return Buffer.concat([head, bytes])
}

describe('the frames of a FLAC file', () => {
  it.each([1, 7, 1000, 100_000])('are all of them, read %i bytes at a time', async (chunkBytes) => {
    expect((await framesOf(Buffer.concat([HEAD, FRAMES]), chunkBytes)).equals(FRAMES)).toBe(true)
  })

  it('are those of a recording, behind its metadata', async () => {
    const bytes = await fs.readFile(packagePath('test', 'fixtures', 'audio', 'speech.flac'))
    const frames = await framesOf(bytes)
    expect(bytes.subarray(-frames.length).equals(frames)).toBe(true)
    expect(frames.length).toBeGreaterThan(bytes.length - 9000)
  })

  it('are not looked for in metadata', async () => {
    const bytes = Buffer.concat([Buffer.from('fLaC'), picture(FRAMES), HEAD.subarray(4), FRAMES])
    expect((await framesOf(bytes)).equals(FRAMES)).toBe(true)
  })

  it('come in small runs, so that little is decoded at once', async () => {
    const runs: number[] = []
    async function* whole() {
      yield Buffer.concat([HEAD, FRAMES])
    }
    for await (const { length } of flacFrames(whole())) runs.push(length)
    expect(Math.max(...runs)).toBeLessThan(1024 + FRAME_BYTES)
  })
})

describe('what is behind the frames', () => {
  const whole = FRAMES.subarray(0, -FRAME_BYTES)

  it('is left out where it is a frame that was cut off', async () => {
    for (const cut of [1, 10, FRAME_BYTES - 1]) {
      const bytes = Buffer.concat([HEAD, FRAMES.subarray(0, -cut)])
      expect((await framesOf(bytes)).equals(whole), `${cut} bytes less`).toBe(true)
    }
  })

  it('is left out where it is padding', async () => {
    for (const padding of [Buffer.alloc(3), Buffer.alloc(300), Buffer.alloc(3, 1)])
      expect((await framesOf(Buffer.concat([HEAD, FRAMES, padding]))).equals(FRAMES)).toBe(true)
  })

  it('is left out where it is a tag', async () => {
    const frames = await framesOf(Buffer.concat([HEAD, FRAMES, Buffer.from(`TAG${'a title'.padEnd(125)}`)]))
    // The end of the last one cannot be told from the tag.
    expect(frames.equals(whole)).toBe(true)
  })
})

describe('frames that a player would play and the decoder would not', () => {
  const halves = [FRAMES.subarray(0, 50 * FRAME_BYTES), FRAMES.subarray(50 * FRAME_BYTES)] as const

  it.each([
    ['a single byte', Buffer.from([1])],
    ['another file of the kind', HEAD],
    ['a frame without its end', FRAMES.subarray(0, FRAME_BYTES - 1)],
    ['more than the decoder looks through', Buffer.alloc(700_000, 1)],
  ])('refuses them behind %s', async (_, between) => {
    const bytes = Buffer.concat([HEAD, halves[0], between, halves[1]])
    await expect(framesOf(bytes)).rejects.toMatchObject({ reason: 'media-corrupt' })
  })

  it('refuses other channels and rates', async () => {
    const speech = await fs.readFile(packagePath('test', 'fixtures', 'audio', 'speech.flac'))
    const mono = await framesOf(speech)
    const bytes = Buffer.concat([HEAD, FRAMES, mono, FRAMES])
    await expect(framesOf(bytes)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })
})

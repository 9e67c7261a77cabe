import { describe, expect, it } from 'vitest'
import { decodeWav } from '../../../../src/detect/audio/decode/wav-decode.js'
import { chunksOf, collected } from '../../../support/chunks.js'
import { rawWav, riffChunk } from '../../../support/wav-file.js'
import { withReason } from '../../../support/with-reason.js'

const RATE = 8000
const PCM_16 = { rate: RATE, tag: 1, bytes: 2 }

const blocksOf = (bytes: Buffer, chunkBytes = 1000) => collected(decodeWav(chunksOf(bytes, chunkBytes)))

/** All samples of a channel, in 16-bit units. */
async function samplesOf(bytes: Buffer, channel = 0, chunkBytes?: number): Promise<number[]> {
  const blocks = await blocksOf(bytes, chunkBytes)
  return blocks.flatMap(({ channels }) => Array.from(channels[channel] ?? [], (sample) => sample * 32_768))
}

function sixteenBit(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) data.writeInt16LE(value, index * 2)
  return data
}

/** RF64 of EBU Tech 3306: the size of the sound stands in a ds64 chunk. */
function rf64(data: Buffer, statedBytes: bigint, ds64Bytes = 28): Buffer {
  const sizes = Buffer.alloc(ds64Bytes)
  if (ds64Bytes >= 16) sizes.writeBigUInt64LE(statedBytes, 8)
  const [riff, ...rest] = [rawWav(data, { ...PCM_16, statedBytes: 0xffff_ffff })] as [Buffer]
  expect(rest).toEqual([])
  return Buffer.concat([
    Buffer.from('RF64'),
    riff.subarray(4, 12),
    riffChunk('ds64', sizes),
    riff.subarray(12),
    // What follows the sound and must not be taken for it.
    Buffer.from('bext'),
    Buffer.alloc(12, 1),
  ])
}

describe('decodeWav', () => {
  it.each([1, 7, 44, 45, 10_000])('reads the same from chunks of %i bytes', async (chunkBytes) => {
    expect(await samplesOf(rawWav(sixteenBit(1, -2, 32_767, -32_768), PCM_16), 0, chunkBytes)).toEqual([
      1, -2, 32_767, -32_768,
    ])
  })

  it('keeps the channels apart and in order', async () => {
    const wav = rawWav(sixteenBit(1, 2, 3, 11, 12, 13), { ...PCM_16, channels: 3 })
    expect(await Promise.all([0, 1, 2].map((channel) => samplesOf(wav, channel)))).toEqual([
      [1, 11],
      [2, 12],
      [3, 13],
    ])
    expect(await samplesOf(wav, 3)).toEqual([])
  })

  it('drops a last sample that lacks a byte or a channel', async () => {
    const whole = rawWav(sixteenBit(1, 2, 3, 4), { ...PCM_16, channels: 2, statedBytes: 0 })
    expect(await samplesOf(whole.subarray(0, whole.length - 1))).toEqual([1])
    expect(await samplesOf(whole.subarray(0, whole.length - 2))).toEqual([1])
  })

  it('stops where the sound ends by its header, whatever follows', async () => {
    const wav = Buffer.concat([rawWav(sixteenBit(5, 6), PCM_16), riffChunk('LIST', sixteenBit(9, 9, 9))])
    expect(await samplesOf(wav)).toEqual([5, 6])
    expect(await samplesOf(rawWav(sixteenBit(5, 6, 7), { ...PCM_16, statedBytes: 4 }))).toEqual([5, 6])
  })

  it('returns a long sound in blocks of 128 KiB', async () => {
    const samples = 64 * 1024 + 10
    const blocks = await blocksOf(rawWav(Buffer.alloc(samples * 2, 1), PCM_16), 64 * 1024)
    expect(blocks.map(({ channels }) => channels[0]?.length)).toEqual([64 * 1024, 10])
    expect(blocks.every(({ sampleRate }) => sampleRate === RATE)).toBe(true)
  })

  it('returns one sample of every channel where that alone exceeds a block', async () => {
    const channels = 40_000
    const blocks = await blocksOf(rawWav(Buffer.alloc(channels * 4 * 2), { rate: RATE, tag: 1, bytes: 1, channels }))
    expect(blocks.reduce((sum, block) => sum + (block.channels[0]?.length ?? 0), 0)).toBe(8)
    expect(blocks[0]?.channels).toHaveLength(channels)
  })

  it('refuses samples in larger containers than their bits need, which players read otherwise', async () => {
    const wav = rawWav(sixteenBit(1, 2, 3, 4), PCM_16)
    wav.writeUInt16LE(4, 32)
    await expect(samplesOf(wav)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('takes the upper bytes of a container for the sample, as 24 bits in four', async () => {
    const data = Buffer.alloc(4)
    data.writeInt32LE(-(2 ** 30))
    expect(await samplesOf(rawWav(data, { rate: RATE, tag: 1, bytes: 4 }))).toEqual([-16_384])
  })
})

describe('RF64', () => {
  it('has a long size, which players ignore in a plain RIFF', async () => {
    const plain = rf64(sixteenBit(1, 2, 3, 4), 4n)
    plain.write('RIFF')
    expect((await samplesOf(plain)).slice(0, 4)).toEqual([1, 2, 3, 4])
  })

  it('reads as much as its long size states', async () => {
    expect(await samplesOf(rf64(sixteenBit(1, 2, 3, 4), 8n))).toEqual([1, 2, 3, 4])
    expect(await samplesOf(rf64(sixteenBit(1, 2, 3, 4), 4n))).toEqual([1, 2])
  })

  it('reads to the end where it states more than the file has, or no size', async () => {
    const samples = await samplesOf(rf64(sixteenBit(1, 2), 2n ** 40n))
    expect(samples.slice(0, 2)).toEqual([1, 2])
    expect((await samplesOf(rf64(sixteenBit(1, 2), 0n, 8))).slice(0, 2)).toEqual([1, 2])
  })
})

describe('refusals', () => {
  const sound = rawWav(sixteenBit(1, 2, 3), PCM_16)
  const format = sound.subarray(12, 36)
  const wave = (...chunks: Buffer[]) => Buffer.concat([sound.subarray(0, 12), ...chunks])

  it.each<[string, Buffer, RegExp]>([
    ['no bytes', Buffer.alloc(0), /no WAVE header/],
    ['eleven bytes', sound.subarray(0, 11), /no WAVE header/],
    ['another RIFF file', Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI '), sound.subarray(12)]), /no WAVE header/],
    ['no chunk', sound.subarray(0, 12), /no samples/],
    ['a format alone', wave(format), /no samples/],
    ['sound before its format', wave(sound.subarray(36), format), /no samples/],
    ['a format of 15 bytes', wave(riffChunk('fmt ', Buffer.alloc(15, 1))), /too short/],
    ['a second format', wave(format, format, sound.subarray(36)), /two format chunks/],
    ['no channel', wave(riffChunk('fmt ', Buffer.from('01000000401f0000803e000002001000', 'hex'))), /no channel/],
    ['no bytes a sample', wave(riffChunk('fmt ', Buffer.from(`0100010040${'00'.repeat(11)}`, 'hex'))), /no channel/],
    [
      'a thousand chunks before the sound',
      wave(...Array(1000).fill(riffChunk('JUNK', Buffer.alloc(2))), sound),
      /no samples/,
    ],
  ])('%s', async (_, bytes, message) => {
    await expect(blocksOf(bytes)).rejects.toThrow(withReason('media-corrupt', message))
  })

  it('reads the sound after 998 other chunks', async () => {
    const junk: Buffer[] = Array(998).fill(riffChunk('JUNK', Buffer.alloc(2)))
    expect(await samplesOf(wave(...junk, sound.subarray(12)))).toEqual([1, 2, 3])
  })

  it.each([
    ['PCM of 5 bytes', { tag: 1, bytes: 5 }],
    ['float of 2 bytes', { tag: 3, bytes: 2 }],
    ['A-law of 2 bytes', { tag: 6, bytes: 2 }],
    ['ADPCM', { tag: 2, bytes: 1 }],
  ])('%s is not supported', async (_, codec) => {
    await expect(blocksOf(rawWav(Buffer.alloc(40), { rate: RATE, ...codec }))).rejects.toThrow(
      withReason('media-unsupported', `codec ${codec.tag} of ${codec.bytes * 8} bits`),
    )
  })
})

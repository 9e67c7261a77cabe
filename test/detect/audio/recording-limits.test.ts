import fs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { readRecording } from '../../../src/detect/audio/recording.js'
import { ManualClock } from '../../support/manual-clock.js'
import { silentFlac } from '../../support/silent-flac.js'
import { sine } from '../../support/sounds.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { rawWav, wavFile } from '../../support/wav-file.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 8000
const fileWith = filesForAll()
const fixture = (name: string) => fs.readFile(packagePath('test', 'fixtures', 'audio', name))

/** A clock that moves by so many milliseconds each time that somebody looks at it. */
class Hurrying extends ManualClock {
  constructor(readonly stepMs: number) {
    super()
  }

  override monotonic(): number {
    this.tick(this.stepMs)
    return super.monotonic()
  }
}

async function read(bytes: Uint8Array, clock = new ManualClock()) {
  return readRecording(await fileWith(bytes), RATE, { timeoutSeconds: 10, ffmpeg: null, clock, parsers: unwatched })
}

describe('the time limit of decoding', () => {
  // Four blocks of 128 KiB, and a look at the clock for each beside the one at the start.
  const long = rawWav(Buffer.alloc(4 * 128 * 1024, 1), { rate: RATE, tag: 1, bytes: 2 })

  it('is enough where it is kept to the millisecond', async () => {
    expect((await read(long, new Hurrying(2500))).seconds).toBeCloseTo(32.8, 1)
  })

  it('ends a longer decoding, block by block', async () => {
    await expect(read(long, new Hurrying(2501))).rejects.toMatchObject({ reason: 'detector-timeout' })
    const compressed = silentFlac(8)
    await expect(read(compressed, new Hurrying(10_001))).rejects.toMatchObject({ reason: 'detector-timeout' })
  })
})

it('a recording that changes on its way is refused where its rate does, instead of being heard at another pitch', async () => {
  const both = Buffer.concat([await fixture('speech-mono.mp3'), await fixture('speech.mp3')])
  await expect(read(both)).rejects.toThrow(withReason('media-unsupported', 'changes its sample rate'))
})

describe('clipping at full scale', () => {
  it.each([
    ['a hundred times full scale', 100, true],
    ['a little more', 100.1, false],
    ['as much below', -100, true],
    ['a little more below', -100.1, false],
  ])('%s', async (_, level, isTaken) => {
    const wav = wavFile(sine(440, RATE, 0.1).fill(level), { rate: RATE, codec: 'float' })
    if (isTaken) expect((await read(wav)).samples[0]).toBe(Math.sign(level))
    else await expect(read(wav)).rejects.toMatchObject({ reason: 'media-corrupt' })
  })

  it('is checked in each channel', async () => {
    const loud = Buffer.alloc(16)
    for (const [index, value] of [100, -100, 50, 101].entries()) loud.writeFloatLE(value, index * 4)
    const stereo = (data: Buffer) => rawWav(data, { rate: RATE, tag: 3, bytes: 4, channels: 2 })
    expect([...(await read(stereo(loud.subarray(0, 8)))).samples]).toEqual([0])
    await expect(read(stereo(loud))).rejects.toMatchObject({ reason: 'media-corrupt' })
  })

  it.each([
    [4000, true],
    [3999, false],
    [384_000, true],
    [384_001, false],
  ])('a rate of %i Hz is accepted: %s', async (rate, isTaken) => {
    const wav = wavFile(sine(100, 8000, 0.01, 0.5), { rate })
    if (isTaken) expect((await read(wav)).sourceRate).toBe(rate)
    else await expect(read(wav)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('sixty-four channels are accepted, and one more is refused', async () => {
    const wav = (channels: number) => wavFile(sine(100, RATE, 0.01, 0.5), { rate: RATE, channels })
    expect((await read(wav(64))).channels).toBe(64)
    await expect(read(wav(65))).rejects.toMatchObject({ reason: 'media-too-complex' })
  })
})

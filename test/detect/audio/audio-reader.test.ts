import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { leveled, readAudio } from '../../../src/detect/audio/audio-reader.js'
import type { Part } from '../../../src/detect/contract/medium-reader.js'
import type { AudioPreprocessing } from '../../../src/detect/package/preprocessing.js'
import { collected } from '../../support/chunks.js'
import { TINY_AUDIO_PLAN } from '../../support/detector-audio.js'
import { inRow, sine } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'
import { rawWav, wavFile } from '../../support/wav-file.js'

const RATE = 16_000
const TOOLS = { timeoutSeconds: 30, ffmpeg: null, clock: systemClock, parsers: unwatched }
const silence = (seconds: number) => new Float32Array(seconds * RATE)

const fileWith = filesForAll()

/** Reads a WAVE file by the plan of the tiny package, with fields of it replaced. */
async function read(bytes: Uint8Array, plan: Partial<AudioPreprocessing> = {}, isMasked = false) {
  return readAudio(await fileWith(bytes), { ...TINY_AUDIO_PLAN, ...plan }, isMasked, TOOLS)
}

const valuesOf = (part: Part | undefined) => part?.inputs[0]?.values as Float32Array

describe('readAudio', () => {
  it('has a window between those that are judged, at a place that depends on the bytes', async () => {
    const voice = speechLike(8, RATE)
    const spotOf = async (samples: Float32Array) => {
      const media = await read(wavFile(samples, { rate: RATE }), { maxWindows: 2 })
      const [spot] = await collected(media.spotCheck?.() ?? [])
      return spot && (await collected(spot.parts))[0]?.name
    }
    const spots: unknown[] = []
    for (const level of [1, 0.9, 0.8, 0.7, 0.6]) spots.push(await spotOf(voice.map((sample) => sample * level)))
    expect(new Set(spots).size).toBeGreaterThan(1)
    expect(await spotOf(voice)).toBe(spots[0])
    expect(await spotOf(voice.subarray(0, 2 * RATE))).toBeUndefined()
  })

  it('has that window in a passage that the digest selected, in a long recording', async () => {
    const voice = speechLike(8, RATE)
    for (const level of [1, 0.9, 0.8, 0.7, 0.6]) {
      const long = inRow(...Array<Float32Array>(8).fill(voice.map((sample) => sample * level)))
      const media = await read(wavFile(long, { rate: RATE }), { maxWindows: 2 })
      const [spot] = await collected(media.spotCheck?.() ?? [])
      const start = Number((await collected(spot?.parts ?? []))[0]?.name.match(/^about ([\d.]+)-/)?.[1])
      expect(start).toBeGreaterThanOrEqual(12)
      expect(start).toBeLessThan(64 - 12)
    }
  })

  it('reports channels that differ from their mean, and where they contain speech', async () => {
    const voice = speechLike(2, RATE)
    const stereo = (left: Float32Array, right: Float32Array) => {
      const data = Buffer.alloc(voice.length * 8)
      for (let at = 0; at < voice.length; at++) {
        data.writeFloatLE(left[at] as number, at * 8)
        data.writeFloatLE(right[at] as number, at * 8 + 4)
      }
      return rawWav(data, { rate: RATE, tag: 3, bytes: 4, channels: 2 })
    }
    const othersOf = async (wav: Buffer) => collected((await read(wav)).others?.() ?? [])
    const quiet = sine(3000, RATE, 2, 0.02)
    const against = voice.map((sample, at) => -sample + (voice[at % 9000] as number))
    const [first, second] = await othersOf(stereo(voice, against))
    expect([first?.name, second?.name].sort()).toEqual(['channel 1 alone', 'channel 2 alone'])
    const left = [first, second].find((each) => each?.name === 'channel 1 alone')
    const alone = await read(wavFile(voice, { rate: RATE, codec: 'float' }))
    expect(valuesOf((await collected(left?.parts ?? []))[0])).toEqual(valuesOf((await collected(alone.parts()))[0]))
    // The same voice on both sides, on one side, and next to a sound without speech.
    expect(await othersOf(stereo(voice, voice))).toEqual([])
    expect(await othersOf(stereo(voice, silence(2)))).toEqual([])
    expect((await othersOf(stereo(voice, quiet))).map(({ name }) => name)).not.toContain('channel 2 alone')
  })

  it.each([
    ['zero', 12_000],
    ['repeat', RATE],
  ] as const)('masks the padding of a window, where the network takes a mask: %s', async (padding, heard) => {
    const sound = wavFile(speechLike(0.75, RATE), { rate: RATE })
    const plan = { padding, minSpeechShare: 0, minSpeechSeconds: 0 }
    const [part] = await collected((await read(sound, plan, true)).parts())
    const [, mask] = part?.inputs ?? []
    expect(mask).toMatchObject({ type: 'int64', shape: [1, RATE] })
    expect([...(mask?.values ?? [])].filter((each) => each === 1n)).toHaveLength(heard)
  })

  it('names its parts by their time in the recording, including silence before the speech', async () => {
    const media = await read(wavFile(inRow(silence(2), speechLike(2.3, RATE)), { rate: RATE }))
    const parts = await collected(media.parts())
    expect(parts.map(({ name }) => name)).toEqual(['2.0-3.0 s', '2.5-3.5 s', '3.0-4.0 s', '3.3-4.3 s'])
    expect(media.length).toBe(4.3)
    expect(media.summary).toBe('wav 16 kHz mono 4.3 s, 2.3 s speech')
  })

  it('returns for each part the samples of its time, as one row of a window', async () => {
    const sound = speechLike(2, RATE)
    const parts = await collected((await read(wavFile(sound, { rate: RATE, codec: 'float' }))).parts())
    expect(parts.map(({ inputs }) => inputs.map(({ type, shape }) => [type, shape]))).toEqual(
      parts.map(() => [['float32', [1, RATE]]]),
    )
    const start = Number.parseFloat(parts[1]?.name ?? '') * RATE
    const expected = sound.subarray(start, start + RATE)
    expect(valuesOf(parts[1]).every((value, index) => value === expected[index])).toBe(true)
  })

  it('can be read twice, with the same parts', async () => {
    const media = await read(wavFile(speechLike(1.2, RATE), { rate: RATE }))
    const bytesOf = async () =>
      (await collected(media.parts())).map((part) => [part.name, Buffer.from(valuesOf(part).buffer).toString('base64')])
    expect(await bytesOf()).toEqual(await bytesOf())
  })

  it('levels the speech of a short recording before padding the window', async () => {
    const media = await read(wavFile(speechLike(0.7, RATE), { rate: RATE }), {
      padding: 'zero',
      normalize: 'zero-mean-unit-variance',
    })
    const [part] = await collected(media.parts())
    const values = valuesOf(part)
    const end = values.findLastIndex((value) => value !== 0) + 1
    expect(end).toBeGreaterThan(0.6 * RATE)
    expect(end).toBeLessThanOrEqual(0.7 * RATE)
    const speech = values.subarray(0, end)
    expect(speech.reduce((sum, value) => sum + value, 0) / end).toBeCloseTo(0, 5)
    expect(speech.reduce((sum, value) => sum + value * value, 0) / end).toBeCloseTo(1, 3)
  })

  it('returns three variants with parts of the same times and other samples', async () => {
    const media = await read(wavFile(speechLike(1.2, RATE), { rate: RATE }))
    const plain = await collected(media.parts())
    const variants = await collected(media.variants())
    expect(new Set(variants.map(({ name }) => name)).size).toBe(3)
    for (const variant of variants) {
      const parts = await collected(variant.parts)
      expect(parts.map(({ name }) => name)).toEqual(plain.map(({ name }) => name))
      const before = valuesOf(plain[0])
      expect(valuesOf(parts[0]).some((value, index) => value !== before[index])).toBe(true)
    }
  })

  it.each([
    [2, 'wav 16 kHz stereo 1.0 s'],
    [3, 'wav 16 kHz 3 channels 1.0 s'],
  ])('describes %i channels', async (channels, summary) => {
    expect((await read(wavFile(speechLike(1, RATE), { rate: RATE, channels }))).summary).toContain(summary)
  })

  it('describes the rate of the file, not that of the model', async () => {
    expect((await read(wavFile(speechLike(1, 22_050), { rate: 22_050 }))).summary).toMatch(
      /^wav 22\.05 kHz mono 1\.0 s, /,
    )
  })
})

it('samples get a mean of 0 and a variance of 1, as in Wav2Vec2FeatureExtractor', () => {
  const even = Array.from(leveled(Float32Array.of(1, 3), { normalize: 'zero-mean-unit-variance' }))
  expect(even[0]).toBeCloseTo(-1, 6)
  expect(even[1]).toBeCloseTo(1, 6)
})

it('silence stays silence, and a plan without normalization keeps samples as they are', () => {
  expect(leveled(new Float32Array(4), { normalize: 'zero-mean-unit-variance' })).toEqual(new Float32Array(4))
  const samples = Float32Array.of(0.5, 0.25)
  expect(leveled(samples, { normalize: 'none' })).toBe(samples)
})

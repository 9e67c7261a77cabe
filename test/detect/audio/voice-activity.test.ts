import fs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { packagePath } from '../../../src/core/files.js'
import { findVoice } from '../../../src/detect/audio/voice-activity.js'
import { inRow, mixed, sine, whiteNoise } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { VOICE_SIGNALS } from '../../support/voice-signals.js'

const RATE = 16_000
const silence = (seconds: number) => new Float32Array(seconds * RATE)
const shareOf = ({ frames }: { frames: Uint8Array }) => frames.reduce((sum, flag) => sum + flag, 0) / frames.length

describe('findVoice', () => {
  it.each([
    ['silence', silence(3)],
    ['nothing', silence(0)],
    ['less than a frame', speechLike(0.02, RATE)],
    ['white noise', whiteNoise(3 * RATE, 0.1)],
    ['a tone', sine(440, RATE, 3, 0.3)],
    ['hum with hiss', mixed(sine(50, RATE, 3, 0.1), sine(150, RATE, 3, 0.02), whiteNoise(3 * RATE, 0.005))],
    ['speech below -55 dBFS', speechLike(3, RATE).map((sample) => sample / 1000)],
    ['bursts of noise', inRow(...Array.from({ length: 6 }, () => [silence(0.25), whiteNoise(RATE / 4, 0.2)]).flat())],
    ['clicks', silence(3).map((_, index) => (index % 8000 === 0 ? 0.9 : 0))],
  ])('finds no speech in %s', (_, sound) => {
    expect(findVoice(sound, RATE).frames.some((flag) => flag === 1)).toBe(false)
  })

  it('finds speech, and the silence around it', () => {
    const { frames } = findVoice(inRow(silence(1), speechLike(2, RATE), silence(1)), RATE)
    expect(frames.indexOf(1)).toBeGreaterThan(95)
    expect(frames.indexOf(1)).toBeLessThan(105)
    expect(frames.lastIndexOf(1)).toBeGreaterThan(290)
    expect(frames.lastIndexOf(1)).toBeLessThan(312)
    expect(shareOf({ frames: frames.subarray(100, 300) })).toBeGreaterThan(0.9)
  })

  it('finds speech in noise of a twentieth of its level', () => {
    const sound = mixed(inRow(speechLike(2, RATE), silence(1)), whiteNoise(3 * RATE, 0.01))
    expect(shareOf(findVoice(sound, RATE))).toBeGreaterThan(0.5)
  })

  it('counts complete frames of 25 ms every 10 ms', () => {
    expect(findVoice(silence(1), RATE)).toMatchObject({ frameSamples: 400, hopSamples: 160 })
    expect(findVoice(new Float32Array(400 + 160 * 7), RATE).frames).toHaveLength(8)
    expect(findVoice(new Float32Array(400 + 160 * 7 - 1), RATE).frames).toHaveLength(7)
  })
})

// Made by test/fixtures/make-voice-vectors.sh from the Python twin that the detector was trained with.
const vectors = z
  .array(z.strictObject({ signal: z.string(), speech: z.array(z.tuple([z.int(), z.int()])) }))
  .parse(JSON.parse(await fs.readFile(packagePath('test', 'vectors', 'voice-activity.json'), 'utf8')))

describe('the vectors of the Python twin', () => {
  it('contain every signal', () => {
    expect(new Set(vectors.map(({ signal }) => signal))).toEqual(new Set(Object.keys(VOICE_SIGNALS)))
  })

  it.each(vectors)('$signal', ({ signal, speech }) => {
    const sound = VOICE_SIGNALS[signal]?.() ?? new Float32Array(0)
    expect(runsOf(findVoice(sound, RATE).frames)).toEqual(speech)
  })
})

/** Start and end of each run of speech. */
function runsOf(frames: Uint8Array): [number, number][] {
  const runs: [number, number][] = []
  for (let start = frames.indexOf(1); start !== -1; ) {
    const end = frames.indexOf(0, start)
    runs.push([start, end === -1 ? frames.length : end])
    start = end === -1 ? -1 : frames.indexOf(1, end)
  }
  return runs
}

import fs from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import { resample } from '../../../src/detect/audio/resampler.js'
import { fillWindow, planWindows } from '../../../src/detect/audio/windows.js'
import { parseManifest } from '../../../src/detect/package/manifest.js'
import type { AudioPreprocessing } from '../../../src/detect/package/preprocessing.js'
import { inRow } from '../../support/sounds.js'
import { speechLike } from '../../support/speech.js'
import { withReason } from '../../support/with-reason.js'

const RATE = 16_000
const PLAN: AudioPreprocessing = {
  kind: 'audio',
  sampleRate: RATE,
  window: { samples: 2 * RATE, hop: RATE },
  maxWindows: 16,
  padding: 'repeat',
  minSpeechShare: 0.4,
  minSpeechSeconds: 0.5,
  normalize: 'none',
}
const ALL = { ...PLAN, minSpeechShare: 0 }
const silence = (seconds: number) => new Float32Array(seconds * RATE)
const starts = (sound: Float32Array, plan = PLAN) => planWindows(sound, plan).windows.map(({ start }) => start / RATE)

describe('planWindows', () => {
  it('places windows over the speech only, the last one up to its end', () => {
    const { windows, speechSeconds } = planWindows(inRow(silence(1), speechLike(4.5, RATE), silence(2)), PLAN)
    expect(windows).toHaveLength(4)
    expect(windows[0]?.start).toBeCloseTo(RATE, -3)
    expect((windows[1]?.start ?? 0) - (windows[0]?.start ?? 0)).toBe(RATE)
    expect((windows[3]?.end ?? 0) / RATE).toBeCloseTo(5.5, 0)
    expect(windows.every(({ start, end }) => end - start === 2 * RATE)).toBe(true)
    expect(speechSeconds).toBeCloseTo(4.5, 0)
  })

  it('lists windows of speech that are not judged, not even in part', () => {
    const unheardOf = (seconds: number) =>
      planWindows(speechLike(seconds, RATE), { ...ALL, maxWindows: 2 }).unheard.map(({ start }) => start / RATE)
    expect(unheardOf(9)).toEqual([2, 3, 4, 5])
    expect(unheardOf(5)).toEqual([])
    expect(planWindows(speechLike(9, RATE), ALL).unheard).toEqual([])
  })

  it('drops windows with little speech', () => {
    const found = starts(inRow(speechLike(3, RATE), silence(5), speechLike(3, RATE)))
    expect(found.length).toBeGreaterThan(2)
    expect(found.some((start) => start > 2.5 && start < 7)).toBe(false)
  })

  it('returns speech shorter than a window as one part', () => {
    const { windows } = planWindows(inRow(silence(1), speechLike(0.8, RATE), silence(1)), PLAN)
    expect(windows).toHaveLength(1)
    expect((windows[0]?.end ?? 0) - (windows[0]?.start ?? 0)).toBeLessThan(RATE)
  })

  it.each([
    ['silence', silence(3), 'There is no speech in it'],
    ['nothing', silence(0), 'There is no speech in it'],
    ['a word', inRow(silence(1), speechLike(0.2, RATE), silence(1)), /There are 0\.\d\d s of speech/],
  ])('refuses %s', (_, sound, message) => {
    expect(() => planWindows(sound, PLAN)).toThrow(withReason('media-without-speech', message))
  })

  it('refuses speech that is too sparse in every window', () => {
    const words = Array.from({ length: 4 }, () => [speechLike(0.22, RATE), silence(2)]).flat()
    expect(() => planWindows(inRow(...words), PLAN)).toThrow(/No 2.0 s of the recording are speech/)
  })

  it('refuses a telephone recording where the plan states a bandwidth', () => {
    const wide = speechLike(2, RATE)
    const narrow = resample(resample(wide, RATE, 8000), 8000, RATE)
    const plan = { ...PLAN, minBandwidthHz: 4600 }
    expect(planWindows(wide, plan).windows).toEqual(planWindows(wide, PLAN).windows)
    expect(planWindows(narrow, PLAN).windows).toHaveLength(1)
    expect(() => planWindows(narrow, plan)).toThrow(withReason('media-narrow-band', /ends at 3[89]\d\d Hz/))
  })

  it('selects some evenly where there are too many', () => {
    const part = speechLike(4, RATE)
    const sound = Float32Array.from({ length: 10 * part.length }, (_, index) => part[index % part.length]!)
    expect(starts(sound, { ...ALL, maxWindows: 5 })).toEqual([0, 10, 19, 29, 38])
    expect(starts(sound, { ...ALL, maxWindows: 1 })).toEqual([19])
    expect(starts(sound, { ...ALL, maxWindows: 99 })).toHaveLength(39)
  })

  it('uses all of a sound where it does not look for speech', () => {
    expect(planWindows(speechLike(3, RATE), ALL)).toMatchObject({
      speechSeconds: 3,
      windows: [
        { start: 0, end: 2 * RATE },
        { start: RATE, end: 3 * RATE },
      ],
    })
    expect(() => planWindows(silence(3), ALL)).toThrow(withReason('media-featureless'))
    expect(() => planWindows(silence(0), ALL)).toThrow(withReason('media-without-speech'))
  })
})

describe('passages of a long recording', () => {
  const seams = [0, 6, 12, 18].map((seconds) => ({ at: seconds * RATE }))
  const sound = speechLike(24, RATE)

  it('have no window over a seam', () => {
    const { windows } = planWindows(sound, { ...ALL, window: { samples: 4 * RATE, hop: 4 * RATE } }, seams)
    expect(windows.map(({ start, end }) => [start / RATE, end / RATE])).toEqual([
      [0, 4],
      [8, 12],
      [12, 16],
      [20, 24],
    ])
  })

  it.each([ALL, PLAN])('are used as they are where a window is longer', (plan) => {
    const { windows } = planWindows(sound, { ...plan, window: { samples: 20 * RATE, hop: 20 * RATE } }, seams)
    expect(windows).toHaveLength(4)
    expect(windows.slice(1).map(({ start }) => start)).toEqual([6, 12, 18].map((seconds) => seconds * RATE))
    expect(windows.every(({ start, end }) => end > start && end - start <= 6 * RATE)).toBe(true)
  })

  it('are dropped where only a stub is left', () => {
    const cut = sound.subarray(0, 18.1 * RATE)
    const { windows } = planWindows(cut, { ...ALL, window: { samples: 16 * RATE, hop: 16 * RATE } }, seams)
    expect(windows.map(({ end }) => end / RATE)).toEqual([6, 12, 18])
  })
})

describe('fillWindow', () => {
  const plan = { ...PLAN, window: { samples: 400, hop: 200 } }
  const stretch = Float32Array.from({ length: 150 }, (_, index) => index + 1)

  it('repeats a short stretch', () => {
    const values = fillWindow(stretch, plan)
    expect(values).toHaveLength(400)
    expect([values[149], values[150], values[299], values[300], values[399]]).toEqual([150, 1, 150, 1, 100])
  })

  it('or appends zeros', () => {
    const values = fillWindow(stretch, { ...plan, padding: 'zero' })
    expect([values[149], values[150], values[399]]).toEqual([150, 0, 0])
  })

  it('or keeps its length, except for a stub', () => {
    const whole = { ...plan, window: { samples: 4000, hop: 4000 }, padding: 'none' as const }
    const sound = new Float32Array(1200).fill(0.5)
    expect(fillWindow(sound, whole)).toEqual(sound)
    expect(Array.from(fillWindow(stretch, whole)).slice(149, 151)).toEqual([150, 0])
    expect(fillWindow(stretch, whole)).toHaveLength(400)
  })
})

it('attestd-audio judges the first and the last window of a recording, as in its figures', async () => {
  const file = packagePath('models', 'attestd-audio', 'detector.json')
  const { preprocessing } = parseManifest(await fs.readFile(file, 'utf8'), file)
  if (preprocessing.kind !== 'audio') throw new Error('attestd-audio reads no audio.')
  const sound = speechLike(15, RATE)
  const all = planWindows(sound, { ...preprocessing, maxWindows: 256 }).windows
  expect(all.length).toBeGreaterThan(4)
  expect(planWindows(sound, preprocessing).windows).toEqual([all[0], all.at(-1)])
})

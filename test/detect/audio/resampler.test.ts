import { describe, expect, it } from 'vitest'
import { resample } from '../../../src/detect/audio/resampler.js'
import { levelOf, sine, whiteNoise } from '../../support/sounds.js'

const RATE = 16_000
const to16k = (sound: Float32Array, rate: number) => resample(sound, rate, RATE)

describe('resample', () => {
  it.each([4000, 8000, 11_025, 11_127, 22_050, 32_000, 44_100, 48_000, 96_000, 383_999, 384_000])(
    'keeps a tone of 1 kHz as it is, from %i Hz',
    (rate) => {
      const tone = to16k(sine(1000, rate, 0.2), rate)
      const wanted = sine(1000, RATE, 0.2)
      expect(tone).toHaveLength(Math.ceil((Math.round(rate * 0.2) * RATE) / rate))
      const worst = Math.max(
        ...tone.subarray(800, 2400).map((sample, index) => sample - (wanted[index + 800] as number)),
      )
      expect(worst).toBeLessThan(1e-4)
    },
  )

  it.each([
    [44_100, 7200],
    [48_000, 7200],
    [96_000, 7200],
    [8000, 3600],
  ])('passes what is below the band edge: from %i Hz, %i Hz', (rate, frequency) => {
    expect(levelOf(to16k(sine(frequency, rate, 0.3), rate))).toBeCloseTo(0, 1)
  })

  it.each([
    [22_050, 8800],
    [32_000, 8000],
    [44_100, 8100],
    [44_100, 15_000],
    [48_000, 9000],
    [48_000, 23_000],
    [96_000, 40_000],
    [383_999, 8500],
  ])('folds nothing back: from %i Hz, %i Hz', (rate, frequency) => {
    expect(levelOf(to16k(sine(frequency, rate, 0.3), rate))).toBeLessThan(-70)
  })

  it('mirrors nothing up', () => {
    const upper = to16k(sine(3000, 8000, 0.3), 8000).map(
      (sample, index) => sample - Math.sin((2 * Math.PI * 3000 * index) / RATE),
    )
    expect(levelOf(upper)).toBeLessThan(-70)
  })

  it('keeps the level of a constant from the first sample to the last, except at the edges', () => {
    const sound = to16k(new Float32Array(44_100).fill(0.5), 44_100)
    expect(Math.max(...sound.subarray(100, -100).map((sample) => Math.abs(sample - 0.5)))).toBeLessThan(1e-6)
  })

  it('returns the same samples where the rates are equal', () => {
    const sound = whiteNoise(1000, 1)
    expect(to16k(sound, RATE)).toEqual(sound)
  })

  it.each([0, 1, 2])('accepts a sound of %i samples', (length) => {
    expect(to16k(new Float32Array(length), 48_000)).toHaveLength(Math.ceil(length / 3))
  })
})

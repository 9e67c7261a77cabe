import { describe, expect, it } from 'vitest'
import { hannWindow, PowerSpectrum } from '../../../src/detect/audio/fourier.js'
import { kaiserWindow } from '../../../src/detect/audio/resampler.js'
import { whiteNoise } from '../../support/sounds.js'

/** |X_k|^2 by the definition, in as many steps as it takes. */
function byDefinition(samples: Float32Array, size: number, bin: number): number {
  let [real, imaginary] = [0, 0]
  for (const [index, sample] of samples.entries()) {
    real += sample * Math.cos((2 * Math.PI * bin * index) / size)
    imaginary -= sample * Math.sin((2 * Math.PI * bin * index) / size)
  }
  return real ** 2 + imaginary ** 2
}

const flat = (length: number) => new Float64Array(length).fill(1)

describe('PowerSpectrum', () => {
  it.each([
    [2, 2],
    [4, 3],
    [8, 8],
    [64, 64],
    [64, 50],
    [64, 1],
    [512, 400],
  ])('of %i points, %i of them samples, matches the definition', (size, length) => {
    const samples = whiteNoise(length, 1, size)
    const powers = new PowerSpectrum(size, flat(length)).of(samples, 0, 0, size / 2)
    expect(powers).toHaveLength(size / 2 + 1)
    for (const [bin, power] of powers.entries()) expect(power).toBeCloseTo(byDefinition(samples, size, bin), 6)
  })

  it('transforms the requested frame, without its mean, through its window', () => {
    const samples = whiteNoise(100, 1)
    const window = hannWindow(25)
    const frame = samples.slice(40, 65).map((sample, index) => (sample - 0.25) * (window[index] as number))
    const powers = new PowerSpectrum(32, window).of(samples, 40, 0, 16, 0.25)
    for (const [bin, power] of powers.entries()) expect(power).toBeCloseTo(byDefinition(frame, 32, bin), 5)
  })

  it('returns the requested bins, both ends included', () => {
    const samples = whiteNoise(32, 1)
    const spectrum = new PowerSpectrum(32, flat(32))
    const all = spectrum.of(samples, 0, 0, 16).slice()
    expect(spectrum.of(samples, 0, 5, 7)).toEqual(all.subarray(5, 8))
    expect(spectrum.of(samples, 0, 9, 9)).toEqual(all.subarray(9, 10))
  })

  it('is reproducible, whatever was measured between', () => {
    const samples = whiteNoise(64, 1)
    const spectrum = new PowerSpectrum(64, flat(64))
    const before = spectrum.of(samples, 0, 0, 32).slice()
    spectrum.of(new Float32Array(64).fill(1000), 0, 0, 32)
    expect(spectrum.of(samples, 0, 0, 32)).toEqual(before)
  })
})

it('hannWindow is periodic: it starts at 0, is highest in the middle, and does not come back to 0', () => {
  const values = hannWindow(8)
  for (const [index, value] of [0, 0.146447, 0.5, 0.853553, 1, 0.853553, 0.5, 0.146447].entries())
    expect(values[index]).toBeCloseTo(value, 6)
})

describe('kaiserWindow', () => {
  // I0 from Abramowitz and Stegun, table 9.8: I0(5) = 27.2398718, I0(7) = 168.5939085, I0(4.0) = 11.3019220, I0(3) = 4.8807926.
  it.each([
    [0, 7, 1],
    [1, 7, 1 / 168.5939085],
    [-1, 7, 1 / 168.5939085],
    [1, 5, 1 / 27.2398718],
    [0.6, 5, 11.301922 / 27.2398718],
    [-0.8, 5, 4.8807926 / 27.2398718],
    [0.5, 0, 1],
  ])('at %d with beta %d', (x, beta, value) => {
    expect(kaiserWindow(x, beta)).toBeCloseTo(value, 8)
  })

  it.each([1.0001, -1.0001, 5])('is 0 at %d, outside', (x) => {
    expect(kaiserWindow(x, 7)).toBe(0)
  })
})

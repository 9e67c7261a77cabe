import { describe, expect, it } from 'vitest'
import { VARIANTS, varied } from '../../../src/detect/audio/audio-reader.js'
import { PowerSpectrum } from '../../../src/detect/audio/fourier.js'
import { sine, whiteNoise } from '../../support/sounds.js'

const RATE = 16_000
const NOISE = whiteNoise(4096, 0.5)

/** Mean power of a sound between two frequencies, Hz. */
function powerBetween(sound: Float32Array, low: number, high: number): number {
  const size = 2048
  const middle = sound.subarray(1024, 1024 + size)
  const bin = (frequency: number) => Math.round((frequency * size) / RATE)
  const flat = new Float64Array(size).fill(1)
  const powers = new PowerSpectrum(size, flat).of(middle, 0, bin(low), bin(high))
  return powers.reduce((sum, power) => sum + power, 0) / powers.length
}

describe('variants of a sound', () => {
  it.each(VARIANTS)('%s: as many samples, different ones, and reproducible', (name) => {
    const before = NOISE.slice()
    for (const length of [1, 399, 4096]) {
      const sound = NOISE.subarray(0, length)
      expect(varied(sound, RATE, name)).toHaveLength(length)
    }
    const changed = varied(NOISE, RATE, name)
    expect(changed).not.toEqual(NOISE)
    expect(varied(NOISE, RATE, name)).toEqual(changed)
    expect(NOISE).toEqual(before)
  })

  it.each([
    ['upper tenth of the band cut', 6300, 7300],
    ['upper quarter of the band cut', 5200, 6100],
  ] as const)('%s: keeps what is below %i Hz, removes what is above %i Hz', (name, kept, gone) => {
    const changed = varied(NOISE, RATE, name)
    expect(powerBetween(changed, 200, kept) / powerBetween(NOISE, 200, kept)).toBeCloseTo(1, 1)
    expect(powerBetween(changed, gone, 7900) / powerBetween(NOISE, gone, 7900)).toBeLessThan(0.01)
  })

  it('in mu-law is half as loud, within a step of it', () => {
    const tone = sine(440, RATE, 0.1, 0.8)
    const changed = varied(tone, RATE, 'half as loud, in 8-bit mu-law')
    for (const [index, sample] of tone.entries())
      expect(Math.abs((changed[index] as number) - sample / 2)).toBeLessThan(0.017)
    expect(new Set(changed).size).toBeLessThan(256)
  })
})

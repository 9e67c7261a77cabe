import { describe, expect, it } from 'vitest'
import { FREE_PLACE, pairedSums, sumsWorkspace } from '../../../src/detect/audio/paired-sums.js'
import { Resampler, resample } from '../../../src/detect/audio/resampler.js'
import { whiteNoise } from '../../support/sounds.js'

/** What `pairedSums` is to give, in the order of its description. */
function sumOf(weights: Float64Array, values: Float64Array): number {
  const sums: [number, number, number, number] = [0, 0, 0, 0]
  const whole = weights.length - (weights.length % 4)
  for (const [index, weight] of weights.entries()) {
    const place = (index < whole ? index % 4 : 0) as 0 | 1 | 2 | 3
    sums[place] += weight * (values[index] as number)
  }
  return sums[0] + sums[1] + (sums[2] + sums[3])
}

const noise = (length: number, seed: number) => Float64Array.from(whiteNoise(length, 1, seed), (value) => value / 3)

describe('pairedSums', () => {
  it.each([4, 6, 8, 102, 278, 302])('gives the bits of a loop over %i products, and of another', (count) => {
    const rows = [1, 2, 3, 4].map((seed) => noise(count, seed)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ]
    const places = rows.map((_, index) => FREE_PLACE + 1 + index * (count + 1)) as [number, number, number, number]
    const room = sumsWorkspace(FREE_PLACE + rows.length * (count + 1) + 1)
    room.fill(Number.NaN)
    for (const [index, row] of rows.entries()) room.set(row, places[index])
    pairedSums(...places, count)
    expect([...room.subarray(0, FREE_PLACE)]).toEqual([sumOf(rows[0], rows[1]), sumOf(rows[2], rows[3])])
  })

  it('keeps what was written where the workspace grows', () => {
    const before = sumsWorkspace(FREE_PLACE + 1)
    before[FREE_PLACE] = 7
    const after = sumsWorkspace(before.length + 1)
    expect(after.length).toBeGreaterThan(before.length)
    expect(after[FREE_PLACE]).toBe(7)
    // For the filter of a resampler that lies there.
    resample(new Float32Array(1), 12_345, 16_000)
  })
})

describe('Resampler', () => {
  it('gives the same bits while another sound, of another rate, is resampled in turns', () => {
    const sounds = [44_100, 48_000].map((rate) => ({ rate, sound: whiteNoise(20_000, 1), given: [] as number[] }))
    const resamplers = sounds.map(({ rate }) => new Resampler(rate, 16_000))
    for (let at = 0; at < 20_000; at += 3000)
      for (const [index, { sound, given }] of sounds.entries())
        given.push(...(resamplers[index] as Resampler).push(sound.subarray(at, at + 3000)))
    for (const [index, { given }] of sounds.entries()) given.push(...(resamplers[index] as Resampler).flush())
    for (const { rate, sound, given } of sounds) expect(Float32Array.from(given)).toEqual(resample(sound, rate, 16_000))
  })
})

import { describe, expect, it } from 'vitest'
import { weightedToPrior } from '../../../src/lab/metrics/class-weights.js'
import { sum } from '../../../src/lab/metrics/ranked-scores.js'

describe('weights for a prior', () => {
  it.each([
    [0.5, 1, 3],
    [0.1, 20, 80],
    [0.9, 7, 13],
  ])('of %d over %i fakes and %i reals give that share, and sum to the rows', (prior, fakes, reals) => {
    const rows = Array.from({ length: fakes + reals }, (_, index) => ({ fake: index < fakes }))
    const weighted = weightedToPrior(rows, prior)
    expect(sum(weighted.map(({ weight }) => weight))).toBeCloseTo(rows.length, 10)
    expect(sum(weighted.filter(({ fake }) => fake).map(({ weight }) => weight)) / rows.length).toBeCloseTo(prior, 10)
  })

  it('that the rows already have change nothing', () => {
    const rows = [{ fake: true }, { fake: false }, { fake: false }, { fake: false }]
    expect(weightedToPrior(rows, 0.25)).toEqual(rows.map((row) => ({ ...row, weight: 1 })))
  })
})

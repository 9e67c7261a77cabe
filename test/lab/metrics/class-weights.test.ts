import { describe, expect, it } from 'vitest'
import { weightsForPrior } from '../../../src/lab/metrics/class-weights.js'

describe('weights for a prior', () => {
  it.each([
    [0.5, 1, 3],
    [0.1, 20, 80],
    [0.9, 7, 13],
  ])('of %d over %i fakes and %i reals give that share, and sum to the rows', (prior, fakes, reals) => {
    const rows = Array.from({ length: fakes + reals }, (_, index) => ({ fake: index < fakes }))
    const weights = weightsForPrior(rows, prior)
    expect(weights.fake * fakes + weights.real * reals).toBeCloseTo(rows.length, 10)
    expect((weights.fake * fakes) / rows.length).toBeCloseTo(prior, 10)
  })

  it('that the rows have already change nothing', () => {
    expect(weightsForPrior([{ fake: true }, { fake: false }, { fake: false }, { fake: false }], 0.25)).toEqual({
      fake: 1,
      real: 1,
    })
  })
})

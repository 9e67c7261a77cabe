import { describe, expect, it } from 'vitest'
import { figure, flaggedOf } from '../../../src/lab/evaluate/row-metrics.js'

describe('single figures', () => {
  it.each([
    [0.123456789, 0.123457],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [0, 0],
  ])('%d is kept as %j', (value, kept) => {
    expect(figure(value)).toBe(kept)
  })

  it('flagged means one half or more, by class, with an interval where any were counted', () => {
    const { fakeFlagged, realFlagged } = flaggedOf([
      { score: 0.5, fake: true },
      { score: 0.499, fake: true },
    ])
    expect(fakeFlagged.value).toBe(0.5)
    expect(fakeFlagged.interval?.low).toBeGreaterThan(0)
    expect(realFlagged).toEqual({ value: null, interval: null })
  })
})

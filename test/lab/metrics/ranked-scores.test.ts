import { describe, expect, it } from 'vitest'
import { classTotals, rankOf, rankScores } from '../../../src/lab/metrics/ranked-scores.js'

describe('a ranking', () => {
  it('joins rows of one score, highest first', () => {
    const rows = [
      { score: 0.2, fake: true },
      { score: 0.9, fake: false },
      { score: 0.2, fake: false, weight: 3 },
      { score: 0.2, fake: true, weight: 0.5 },
    ]
    const { fakes, reals, scores } = rankScores(rows)
    expect([scores, fakes, reals].map((each) => Array.from(each))).toEqual([
      [0.9, 0.2],
      [0, 1.5],
      [1, 3],
    ])
    expect(classTotals(rankScores(rows))).toEqual({ fakes: 1.5, reals: 4 })
  })

  it('of nothing is empty, and one of negative logits falls too', () => {
    expect(rankOf([])).toEqual({ scores: new Float64Array(), ranks: new Int32Array() })
    expect(rankOf([-3, 2, -10, 2])).toEqual({
      scores: Float64Array.of(2, -3, -10),
      ranks: Int32Array.of(1, 0, 2, 0),
    })
  })
})

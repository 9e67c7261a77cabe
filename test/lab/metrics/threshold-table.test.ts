import { describe, expect, it } from 'vitest'
import { rankScores } from '../../../src/lab/metrics/ranked-scores.js'
import { bandEffect, thresholdTable } from '../../../src/lab/metrics/threshold-table.js'
import { ROUNDS, randomRows, share } from './random-rows.js'

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)

  it('a band keeps what lies on its ends', () => {
    const band = { low: 0.3, high: 0.7 }
    const sure = rows.filter(({ score }) => score <= band.low || score >= band.high)
    const { abstainRate, accuracyOutside } = bandEffect(ranked, band)
    expect(abstainRate).toBeCloseTo(1 - sure.length / rows.length, 10)
    expect(accuracyOutside).toEqual(
      sure.length === 0
        ? Number.NaN
        : expect.closeTo(
            share(sure, ({ fake, score }) => score >= 0.5 === fake),
            10,
          ),
    )
  })

  it('of the threshold table rates never rise with the threshold', () => {
    const table = thresholdTable(ranked)
    for (const rates of [table.map(({ tpr }) => tpr), table.map(({ fpr }) => fpr)])
      expect(rates).toEqual(rates.toSorted((a, b) => b - a))
    for (const row of table.filter(({ threshold }) => threshold >= 0.5))
      expect(row).toMatchObject(
        bandEffect(ranked, { low: Number((1 - row.threshold).toFixed(6)), high: row.threshold }),
      )
  })
})

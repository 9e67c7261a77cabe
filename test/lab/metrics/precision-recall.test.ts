import { describe, expect, it } from 'vitest'
import { averagePrecision, precisionRecallPoints } from '../../../src/lab/metrics/precision-recall.js'
import { rankScores } from '../../../src/lab/metrics/ranked-scores.js'
import { ROUNDS, randomRows, share } from './random-rows.js'

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)
  const fakes = rows.filter(({ fake }) => fake)

  it('each precision-recall point is what its threshold gives; the last one has all fakes', () => {
    const points = precisionRecallPoints(ranked)
    for (const { precision, recall, threshold } of points) {
      expect(recall).toBeCloseTo(
        share(fakes, ({ score }) => score >= threshold),
        10,
      )
      const flagged = rows.filter(({ score }) => score >= threshold)
      expect(precision).toBeCloseTo(
        share(flagged, ({ fake }) => fake),
        10,
      )
    }
    expect(points.at(-1)).toMatchObject({ recall: 1, precision: fakes.length / rows.length })
    expect(averagePrecision(ranked)).toBeLessThanOrEqual(1 + 1e-12)
  })
})

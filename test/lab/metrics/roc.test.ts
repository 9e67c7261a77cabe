import { describe, expect, it } from 'vitest'
import { rankScores, sum } from '../../../src/lab/metrics/ranked-scores.js'
import { areaUnderRoc, equalErrorRate, rocPoints, tprAtFpr } from '../../../src/lab/metrics/roc.js'
import { ROUNDS, randomRows, share } from './random-rows.js'

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)
  const fakes = rows.filter(({ fake }) => fake)
  const reals = rows.filter(({ fake }) => !fake)

  it('AUC is the share of pairs in the right order, ties half', () => {
    const pairs = fakes.flatMap((fake) => reals.map((real) => Math.sign(fake.score - real.score) / 2 + 0.5))
    expect(areaUnderRoc(ranked)).toBeCloseTo(sum(pairs) / pairs.length, 10)
  })

  it('AUC and ROC do not change under monotone scaling, and are mirrored with the scores', () => {
    const moved = (by: (score: number) => number) => rankScores(rows.map((row) => ({ ...row, score: by(row.score) })))
    expect(areaUnderRoc(moved((score) => score ** 3 - 7))).toBe(areaUnderRoc(ranked))
    expect(areaUnderRoc(moved((score) => -score))).toBeCloseTo(1 - areaUnderRoc(ranked), 10)
  })

  it('each ROC point belongs to its threshold', () => {
    for (const { fpr, threshold, tpr } of rocPoints(ranked)) {
      expect(fpr).toBeCloseTo(
        share(reals, ({ score }) => score >= threshold),
        10,
      )
      expect(tpr).toBeCloseTo(
        share(fakes, ({ score }) => score >= threshold),
        10,
      )
    }
  })

  it('the true positive rate is the best of all thresholds within the false positive rate', () => {
    for (const maxFpr of [0, 0.01, 0.2, 1]) {
      const allowed = rocPoints(ranked).filter(({ fpr }) => fpr <= maxFpr)
      expect(tprAtFpr(ranked, maxFpr)).toBe(Math.max(...allowed.map(({ tpr }) => tpr)))
    }
  })

  it('the true positive rate does not depend on the weights of the classes', () => {
    for (const { fake, real } of [1, 2, 3, 7].map((parts) => ({ fake: 0.1 * parts, real: 1 - 0.1 * parts }))) {
      const weighted = rankScores(rows.map((row) => ({ ...row, weight: row.fake ? fake : real })))
      for (const maxFpr of reals.map((_, index) => index / reals.length))
        expect(tprAtFpr(weighted, maxFpr)).toBeCloseTo(tprAtFpr(ranked, maxFpr), 10)
    }
  })

  it('the equal error rate lies on the curve', () => {
    const rate = equalErrorRate(ranked)
    const points = rocPoints(ranked)
    expect(rate).toBeGreaterThanOrEqual(0)
    expect(rate).toBeLessThanOrEqual(1)
    // Above: fewer are flagged than missed; below: the other way round.
    expect(points.some(({ fpr, tpr }) => fpr <= rate + 1e-12 && 1 - tpr >= rate - 1e-12)).toBe(true)
    expect(points.some(({ fpr, tpr }) => fpr >= rate - 1e-12 && 1 - tpr <= rate + 1e-12)).toBe(true)
  })
})

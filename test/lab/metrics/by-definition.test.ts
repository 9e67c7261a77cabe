import { describe, expect, it } from 'vitest'
import { weightsForPrior } from '../../../src/lab/metrics/class-weights.js'
import { averagePrecision, precisionRecallPoints } from '../../../src/lab/metrics/precision-recall.js'
import { classTotals, type LabeledScore, rankOf, rankScores, sum } from '../../../src/lab/metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, reliabilityBins } from '../../../src/lab/metrics/reliability.js'
import { areaUnderRoc, equalErrorRate, rocPoints, tprAtFpr } from '../../../src/lab/metrics/roc.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { bandEffect, thresholdTable } from '../../../src/lab/metrics/threshold-table.js'
import { accuracy, f1 } from '../../../src/lab/metrics/verdicts.js'

// Each metric against its definition, computed the slow way over random rows with many ties.

const ROUNDS = Array.from({ length: 25 }, (_, seed) => seed)

function randomRows(seed: number): LabeledScore[] {
  const random = seededRandom(seed)
  const rows = Array.from({ length: 2 + Math.floor(40 * random()) }, () => ({
    score: Math.floor(11 * random()) / 10,
    fake: random() < 0.4,
  }))
  return [...rows, { score: random(), fake: true }, { score: random(), fake: false }]
}

const share = <Row>(rows: readonly Row[], test: (row: Row) => boolean) => rows.filter(test).length / rows.length

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)
  const fakes = rows.filter(({ fake }) => fake)
  const reals = rows.filter(({ fake }) => !fake)

  it('AUC is the share of pairs in the right order, ties half', () => {
    const pairs = fakes.flatMap((fake) => reals.map((real) => Math.sign(fake.score - real.score) / 2 + 0.5))
    expect(areaUnderRoc(ranked)).toBeCloseTo(sum(pairs) / pairs.length, 10)
  })

  it('AUC and ROC do not change where scores are stretched, and turn round with them', () => {
    const moved = (by: (score: number) => number) => rankScores(rows.map((row) => ({ ...row, score: by(row.score) })))
    expect(areaUnderRoc(moved((score) => score ** 3 - 7))).toBe(areaUnderRoc(ranked))
    expect(areaUnderRoc(moved((score) => -score))).toBeCloseTo(1 - areaUnderRoc(ranked), 10)
  })

  it('each ROC point is what its threshold gives', () => {
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

  it('the true positive rate is the best of all thresholds that keep the false positive rate', () => {
    for (const maxFpr of [0, 0.01, 0.2, 1]) {
      const allowed = rocPoints(ranked).filter(({ fpr }) => fpr <= maxFpr)
      expect(tprAtFpr(ranked, maxFpr)).toBe(Math.max(...allowed.map(({ tpr }) => tpr)))
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

  it('Brier score and calibration error are means over rows', () => {
    const squares = rows.map(({ fake, score }) => (score - Number(fake)) ** 2)
    expect(brierScore(ranked)).toBeCloseTo(sum(squares) / rows.length, 10)
    const errors = reliabilityBins(ranked).map((bin, index) => {
      const members = rows.filter(({ score }) => Math.min(9, Math.floor(score * 10)) === index)
      expect(bin.rows).toBe(members.length)
      if (members.length === 0) return 0
      return Math.abs(sum(members.map(({ score }) => score)) - members.filter(({ fake }) => fake).length)
    })
    expect(expectedCalibrationError(ranked)).toBeCloseTo(sum(errors) / rows.length, 10)
  })

  it('accuracy and F1 call 0.5 fake', () => {
    const flagged = rows.filter(({ score }) => score >= 0.5)
    expect(accuracy(ranked)).toBeCloseTo(
      share(rows, ({ fake, score }) => score >= 0.5 === fake),
      10,
    )
    const hits = flagged.filter(({ fake }) => fake).length
    expect(f1(ranked)).toBeCloseTo((2 * hits) / (flagged.length + fakes.length), 10)
  })

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

describe('a ranking', () => {
  it('puts rows of one score together, highest first', () => {
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

  it('of nothing is empty, and of negative logits falls too', () => {
    expect(rankOf([])).toEqual({ scores: new Float64Array(), ranks: new Int32Array() })
    expect(rankOf([-3, 2, -10, 2])).toEqual({
      scores: Float64Array.of(2, -3, -10),
      ranks: Int32Array.of(1, 0, 2, 0),
    })
  })
})

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

describe('seeded numbers', () => {
  it('are those of mulberry32, so that figures of another machine can be made again', () => {
    // From the reference implementation of Tommy Ettinger (2017) with seed 1.
    const random = seededRandom(1)
    expect([random(), random(), random()].map((each) => Math.round(each * 2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ])
  })

  it('are spread over [0, 1), differ by seed, and take any seed', () => {
    const numbers = (seed: number) => {
      const random = seededRandom(seed)
      return Array.from({ length: 10_000 }, () => random())
    }
    const some = numbers(7)
    for (let tenth = 0; tenth < 10; tenth++) {
      const inTenth = some.filter((each) => Math.floor(each * 10) === tenth).length
      expect(Math.abs(inTenth - 1000)).toBeLessThan(150)
    }
    expect(Math.max(...some)).toBeLessThan(1)
    expect(numbers(8)).not.toEqual(some)
    expect(numbers(-1)).toEqual(numbers(2 ** 32 - 1))
  })
})

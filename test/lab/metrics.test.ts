import { describe, expect, it } from 'vitest'
import { bootstrapIntervals, intervalOf, quantile, resampler } from '../../src/lab/metrics/bootstrap.js'
import { mcNemar } from '../../src/lab/metrics/mcnemar.js'
import { averagePrecision, precisionRecallPoints } from '../../src/lab/metrics/precision-recall.js'
import { type LabeledScore, rankScores } from '../../src/lab/metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, logLoss, reliabilityBins } from '../../src/lab/metrics/reliability.js'
import { areaUnderRoc, equalErrorRate, rocPoints, tprAtFpr } from '../../src/lab/metrics/roc.js'
import { seededRandom } from '../../src/lab/metrics/seeded-random.js'
import { bandEffect, thresholdTable } from '../../src/lab/metrics/threshold-table.js'
import { accuracy, f1, matthewsCorrelation } from '../../src/lab/metrics/verdicts.js'
import { wilsonInterval } from '../../src/lab/metrics/wilson.js'

const rows = (...pairs: [score: number, fake: 0 | 1][]): LabeledScore[] =>
  pairs.map(([score, fake]) => ({ score, fake: fake === 1 }))
const ranked = (...pairs: [number, 0 | 1][]) => rankScores(rows(...pairs))

/** The example of scikit-learn's roc_auc_score and average_precision_score pages: AUC 0.75, AP 0.8333. */
const SCIKIT = ranked([0.1, 0], [0.4, 0], [0.35, 1], [0.8, 1])

describe('ranking metrics', () => {
  it('known values', () => {
    expect(areaUnderRoc(SCIKIT)).toBeCloseTo(0.75, 12)
    expect(averagePrecision(SCIKIT)).toBeCloseTo(0.8333333, 6)
    expect(equalErrorRate(SCIKIT)).toBeCloseTo(0.5, 12)
  })

  it('ties count half', () => {
    expect(areaUnderRoc(ranked([0.5, 1], [0.5, 0]))).toBe(0.5)
    expect(areaUnderRoc(ranked([0.9, 1], [0.5, 1], [0.5, 0], [0.1, 0]))).toBe(0.875)
    expect(averagePrecision(ranked([0.5, 1], [0.5, 0]))).toBe(0.5)
  })

  it('weights count as so many rows', () => {
    const twice = rankScores([...rows([0.1, 0], [0.35, 1], [0.8, 1]), { score: 0.4, fake: false, weight: 2 }])
    const written = ranked([0.1, 0], [0.35, 1], [0.8, 1], [0.4, 0], [0.4, 0])
    expect(areaUnderRoc(twice)).toBe(areaUnderRoc(written))
    expect(logLoss(twice)).toBeCloseTo(logLoss(written), 12)
  })

  it('the equal error rate lies between two thresholds', () => {
    // Points (0, 0.5) and (0.5, 0.5), (0.5, 1): missed and flagged meet at 0.5.
    expect(equalErrorRate(ranked([0.9, 1], [0.8, 0], [0.7, 1], [0.6, 0]))).toBe(0.5)
    // Points (0, 2/3), then (1/3, 1): fpr = 1 - tpr at 1/6 of the way of each.
    expect(equalErrorRate(ranked([0.9, 1], [0.8, 1], [0.5, 1], [0.5, 0], [0.2, 0], [0.1, 0]))).toBeCloseTo(1 / 6, 12)
  })

  it('one class has no ranking', () => {
    expect(areaUnderRoc(ranked([0.2, 1], [0.4, 1]))).toBeNaN()
    expect(tprAtFpr(ranked([0.2, 0]), 0.05)).toBeNaN()
    expect(averagePrecision(ranked([0.2, 0]))).toBeNaN()
  })

  it('the curve starts at nothing and ends at everything', () => {
    expect(rocPoints(SCIKIT)).toEqual([
      { threshold: Number.POSITIVE_INFINITY, fpr: 0, tpr: 0 },
      { threshold: 0.8, fpr: 0, tpr: 0.5 },
      { threshold: 0.4, fpr: 0.5, tpr: 0.5 },
      { threshold: 0.35, fpr: 0.5, tpr: 1 },
      { threshold: 0.1, fpr: 1, tpr: 1 },
    ])
    expect(precisionRecallPoints(SCIKIT)).toEqual([
      { threshold: 0.8, recall: 0.5, precision: 1 },
      { threshold: 0.4, recall: 0.5, precision: 0.5 },
      { threshold: 0.35, recall: 1, precision: 2 / 3 },
      { threshold: 0.1, recall: 1, precision: 0.5 },
    ])
  })
})

describe('reliability', () => {
  it('known values', () => {
    // scikit-learn's brier_score_loss page: 0.0375.
    expect(brierScore(ranked([0.1, 0], [0.9, 1], [0.8, 1], [0.3, 0]))).toBeCloseTo(0.0375, 12)
    // scikit-learn's log_loss page: 0.21616.
    expect(logLoss(ranked([0.9, 1], [0.1, 0], [0.2, 0], [0.65, 1]))).toBeCloseTo(0.21616, 5)
    expect(logLoss(ranked([0, 1]))).toBeCloseTo(13.8155, 4)
  })

  it('the calibration error is the weighted distance over the bins', () => {
    const twoBins = ranked([0.25, 0], [0.25, 1], [0.95, 1], [0.95, 1])
    expect(expectedCalibrationError(twoBins)).toBeCloseTo((2 * 0.25 + 2 * 0.05) / 4, 12)
    expect(reliabilityBins(twoBins)[2]).toEqual({ from: 0.2, to: 0.3, rows: 2, meanRisk: 0.25, fakeShare: 0.5 })
  })

  it('a risk of 1 is in the last bin', () => {
    expect(reliabilityBins(ranked([1, 1])).at(-1)?.rows).toBe(1)
  })
})

describe('thresholds', () => {
  const table = thresholdTable(ranked([0.9, 1], [0.6, 0], [0.5, 1], [0.2, 0], [0.1, 1]))
  const at = (threshold: number) => table.find((row) => row.threshold === threshold)

  it('a risk equal to the threshold is flagged', () => {
    expect(at(0.5)).toMatchObject({ tpr: 2 / 3, fpr: 0.5, precision: 2 / 3, accuracy: 0.6, abstainRate: 0 })
    expect(at(0.99)).toMatchObject({ tpr: 0, fpr: 0, precision: Number.NaN })
  })

  it('the band from 1 - t to t abstains', () => {
    expect(at(0.9)).toMatchObject({ abstainRate: 0.6, accuracyOutside: 0.5 })
    expect(at(0.2)?.abstainRate).toBeNaN()
    expect(bandEffect(ranked([0.3, 0], [0.4, 1], [0.95, 1]), { low: 0.3, high: 0.95 })).toEqual({
      abstainRate: 1 / 3,
      accuracyOutside: 1,
    })
    expect(bandEffect(ranked([0.4, 1]), { low: 0.3, high: 0.95 })).toEqual({
      abstainRate: 1,
      accuracyOutside: Number.NaN,
    })
  })
})

describe('bootstrap', () => {
  const random = () => seededRandom(7)

  it('the interval of a mean-like metric is close to the theoretical one', () => {
    const many = rows(
      ...Array.from({ length: 400 }, (_, index): [number, 0 | 1] => [index < 300 ? 1 : 0, 1]),
      ...Array.from({ length: 400 }, (): [number, 0 | 1] => [0, 0]),
    )
    const { tpr } = bootstrapIntervals([many], { tpr: (each) => tprAtFpr(each, 0) }, random())
    // Binomial with p = 0.75 and n = 400: ± 1.96 * 0.02165.
    expect(tpr?.low).toBeCloseTo(0.7076, 1)
    expect(tpr?.high).toBeCloseTo(0.7924, 1)
    expect((tpr?.high ?? 0) - (tpr?.low ?? 0)).toBeCloseTo(0.085, 1.5)
  })

  const each = (reals: number, fakes: number) => [
    ...rows(...Array.from({ length: reals }, (_, nth): [number, 0 | 1] => [nth / 50, 0])),
    ...rows(...Array.from({ length: fakes }, (_, nth): [number, 0 | 1] => [nth / 40, 1])),
  ]

  it('the same seed gives the same interval', () => {
    const auc = () => bootstrapIntervals([each(20, 20)], { auc: areaUnderRoc }, random()).auc
    expect(auc()).toEqual(auc())
  })

  it.each([
    [10, 10, true],
    [9, 500, false],
    [500, 9, false],
    [1, 1, false],
  ])('%i real and %i fake rows give an interval of the AUC: %s', (reals, fakes, given) => {
    const { auc, brier } = bootstrapIntervals([each(reals, fakes)], { auc: areaUnderRoc, brier: brierScore }, random())
    expect([auc !== null, brier !== null]).toEqual([given, given])
  })

  it('one class alone gives intervals of what needs no other', () => {
    const { auc, brier } = bootstrapIntervals([each(0, 30)], { auc: areaUnderRoc, brier: brierScore }, random())
    expect([auc, brier?.low]).toEqual([null, expect.any(Number)])
  })

  it('several scorings are drawn alike, each class separately', () => {
    const first = rows([0.9, 1], [0.4, 1], [0.6, 0], [0.1, 0])
    const draw = resampler([first, first.map((row) => ({ ...row, score: 1 - row.score }))], random())
    for (let round = 0; round < 20; round++) {
      const [a, b] = draw() as [ReturnType<typeof rankScores>, ReturnType<typeof rankScores>]
      expect(Array.from(b.fakes).toReversed()).toEqual(Array.from(a.fakes))
      expect(Array.from(a.fakes).reduce((all, one) => all + one)).toBe(2)
      expect(Array.from(a.reals).reduce((all, one) => all + one)).toBe(2)
    }
  })

  it('quantiles', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
    expect(quantile([], 0.5)).toBeNaN()
    expect(intervalOf([1, Number.NaN])).toBeNull()
  })
})

describe("McNemar's test", () => {
  it.each([
    [0, 0, 1],
    [5, 0, 0.0625],
    [1, 9, 0.021484375],
    [10, 10, 1],
  ])('%i to %i gives %f', (first, second, pValue) => {
    expect(mcNemar(first, second)).toEqual({
      onlyFirstRight: first,
      onlySecondRight: second,
      pValue: expect.closeTo(pValue, 9),
    })
  })

  it('is exact for many disagreements, too', () => {
    // Twice the sum of C(1100, k) / 2^1100 for k up to 500, in whole numbers.
    expect(mcNemar(500, 600).pValue).toBeCloseTo(0.0028195449914, 12)
  })
})

describe('verdicts at risk 50', () => {
  // Three fakes, two of them flagged; four reals, one of them flagged.
  const seven = ranked([0.9, 1], [0.5, 1], [0.2, 1], [0.7, 0], [0.4, 0], [0.3, 0], [0.1, 0])

  it('known values', () => {
    expect(accuracy(seven)).toBeCloseTo(5 / 7, 12)
    expect(f1(seven)).toBeCloseTo(2 / 3, 12)
    expect(matthewsCorrelation(seven)).toBeCloseTo((2 * 3 - 1) / 12, 12)
  })

  it('equal verdicts have no correlation, and one class has none either', () => {
    expect(matthewsCorrelation(ranked([0.9, 1], [0.8, 0]))).toBe(0)
    expect(matthewsCorrelation(ranked([0.9, 1], [0.2, 1]))).toBeNaN()
    expect(f1(ranked([0.9, 0]))).toBeNaN()
  })
})

describe("Wilson's interval", () => {
  // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  it.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('%i of %i', (hits, tries, low, high) => {
    const interval = wilsonInterval(hits, tries)
    expect(interval?.low).toBeCloseTo(low, 4)
    expect(interval?.high).toBeCloseTo(high, 4)
  })

  it('without trials there is none', () => {
    expect(wilsonInterval(0, 0)).toBeNull()
  })
})

import type { Random } from '../../core/clock.js'
import { bootstrapIntervals, type Metric } from '../metrics/bootstrap.js'
import { averagePrecision } from '../metrics/precision-recall.js'
import { type LabeledScore, rankScores } from '../metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, logLoss } from '../metrics/reliability.js'
import { areaUnderRoc, equalErrorRate, tprAtFpr } from '../metrics/roc.js'
import { rightAtLeast, type VerdictRow, verdictFigures } from '../metrics/verdict-figures.js'
import { accuracy, f1, matthewsCorrelation, VERDICT_RISK } from '../metrics/verdicts.js'
import { wilsonInterval } from '../metrics/wilson.js'
import type { EvaluationMetrics, FigureWithInterval } from './evaluation.js'

/** The metrics of a set of rows, by their name in the evaluation. */
export const ROW_METRICS = {
  auc: areaUnderRoc,
  tprAt5: (ranked) => tprAtFpr(ranked, 0.05),
  tprAt1: (ranked) => tprAtFpr(ranked, 0.01),
  eer: equalErrorRate,
  averagePrecision,
  brier: brierScore,
  logLoss,
  ece: expectedCalibrationError,
  accuracy,
  f1,
  mcc: matthewsCorrelation,
} as const satisfies Record<string, Metric>

/** All metrics of rows whose score is a risk, with intervals. */
export function metricsOf(rows: readonly LabeledScore[], random: Random): EvaluationMetrics {
  const fake = rows.filter((row) => row.fake).length
  return {
    rows: rows.length,
    real: rows.length - fake,
    fake,
    ...figuresOf(rows, ROW_METRICS, random),
    ...flaggedOf(rows),
  }
}

/** Each metric of the rows with its bootstrap interval; null where it has none. */
export function figuresOf<Name extends string>(
  rows: readonly LabeledScore[],
  metrics: Readonly<Record<Name, Metric>>,
  random: Random,
): Record<Name, FigureWithInterval> {
  const ranked = rankScores(rows)
  const intervals = bootstrapIntervals([rows], metrics, random)
  const entries = (Object.keys(metrics) as Name[]).map((name) => [
    name,
    { value: figure(metrics[name](ranked)), interval: intervals[name] },
  ])
  return Object.fromEntries(entries) as Record<Name, FigureWithInterval>
}

/** A number for JSON, six decimals; null where it is not one. */
export const figure = (value: number): number | null => (Number.isFinite(value) ? Number(value.toFixed(6)) : null)

/** The same of several numbers by their names. */
export function figures<Name extends string>(values: Readonly<Record<Name, number>>): Record<Name, number | null> {
  const entries = Object.entries<number>(values).map(([name, value]) => [name, figure(value)])
  return Object.fromEntries(entries) as Record<Name, number | null>
}

/** The share of each class that is flagged, with Wilson's interval: it was counted, and often few were. */
export function flaggedOf(rows: readonly LabeledScore[]): Record<'realFlagged' | 'fakeFlagged', FigureWithInterval> {
  const shareOf = (fake: boolean): FigureWithInterval => {
    const members = rows.filter((row) => row.fake === fake)
    const hits = members.filter(({ score }) => score >= VERDICT_RISK).length
    return { value: figure(hits / members.length), interval: wilsonInterval(hits, members.length) }
  }
  return { realFlagged: shareOf(false), fakeFlagged: shareOf(true) }
}

/** What verdicts are worth at even odds, as JSON states it, with the lower end of the share that is right. */
export function verdictMetrics(rows: readonly VerdictRow[], random: Random) {
  return { ...figures(verdictFigures(rows)), rightAtLeast: rightAtLeast(rows, random) }
}

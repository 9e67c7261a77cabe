import type { Random } from '../../core/clock.js'
import { bootstrapIntervals, type Metric } from '../metrics/bootstrap.js'
import { averagePrecision } from '../metrics/precision-recall.js'
import { classTotals, type LabeledScore, type RankedScores, rankScores } from '../metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, logLoss } from '../metrics/reliability.js'
import { areaUnderRoc, equalErrorRate, tprAtFpr } from '../metrics/roc.js'
import type { EvaluationMetrics, FigureWithInterval } from './evaluation.js'

/** Where a risk becomes a verdict. */
const VERDICT_RISK = 0.5

/** The metrics of a set of rows, by their name in the evaluation. */
export const METRICS = {
  auc: areaUnderRoc,
  tprAt5: (ranked) => tprAtFpr(ranked, 0.05),
  tprAt1: (ranked) => tprAtFpr(ranked, 0.01),
  eer: equalErrorRate,
  averagePrecision,
  brier: brierScore,
  logLoss,
  ece: expectedCalibrationError,
  accuracy,
  realFlagged: (ranked) => flaggedOf(ranked, 'reals'),
  fakeFlagged: (ranked) => flaggedOf(ranked, 'fakes'),
} as const satisfies Record<string, Metric>

/** All metrics of rows whose score is a risk, with bootstrap intervals. */
export function metricsOf(rows: readonly LabeledScore[], random: Random): EvaluationMetrics {
  const fake = rows.filter((row) => row.fake).length
  return { rows: rows.length, real: rows.length - fake, fake, ...figuresOf(rows, METRICS, random) }
}

/** Each metric of the rows with its bootstrap interval; null where it has none. */
export function figuresOf<Name extends string>(
  rows: readonly LabeledScore[],
  metrics: Readonly<Record<Name, Metric>>,
  random: Random,
): Record<Name, FigureWithInterval> {
  const ranked = rankScores(rows)
  const intervals = bootstrapIntervals(rows, metrics, random)
  const entries = (Object.keys(metrics) as Name[]).map((name) => [
    name,
    { value: figure(metrics[name](ranked)), interval: intervals[name] },
  ])
  return Object.fromEntries(entries) as Record<Name, FigureWithInterval>
}

/** A number for JSON, six decimals; null where it is not one. */
export function figure(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toFixed(6)) : null
}

function accuracy(ranked: RankedScores): number {
  const { fakes, reals } = classTotals(ranked)
  const right = (fakes && flaggedOf(ranked, 'fakes') * fakes) + (reals && (1 - flaggedOf(ranked, 'reals')) * reals)
  return right / (fakes + reals)
}

/** Share of a class with a risk of `VERDICT_RISK` or more. */
function flaggedOf(ranked: RankedScores, which: 'fakes' | 'reals'): number {
  const counts = ranked[which]
  let flagged = 0
  for (let rank = 0; rank < counts.length; rank++) {
    if ((ranked.scores[rank] as number) >= VERDICT_RISK) flagged += counts[rank] as number
  }
  return flagged / classTotals(ranked)[which]
}

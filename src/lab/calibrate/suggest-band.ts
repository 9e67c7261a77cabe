import type { LabeledScore } from '../metrics/ranked-scores.js'

/** Steps of the ends of a band. */
const STEP = 0.01
/** Rows that must lie beyond an end for its share to mean anything. */
const MIN_ROWS = 10

/** A decision band and what holds outside it. */
export interface SuggestedBand {
  readonly low: number
  readonly high: number
  /** Share of the rows inside. */
  readonly inside: number
}

/**
 * The narrowest band outside which each verdict is right often enough: of the rows from `high` up at least `accuracy`
 * are fake, of those down to `low` at least `accuracy` are real. An end that cannot be had is 1 or 0: never sure.
 */
export function suggestBand(rows: readonly LabeledScore[], accuracy: number): SuggestedBand {
  const ends = Array.from({ length: Math.round(0.5 / STEP) }, (_, index) => index * STEP)
  const rightFrom = (high: number) =>
    rightShare(
      rows.filter(({ score }) => score >= high),
      true,
    )
  const rightTo = (low: number) =>
    rightShare(
      rows.filter(({ score }) => score <= low),
      false,
    )
  const high = ends.map((end) => rounded(0.5 + end)).find((end) => rightFrom(end) >= accuracy) ?? 1
  const low = ends.map((end) => rounded(0.5 - end)).find((end) => rightTo(end) >= accuracy) ?? 0
  const all = weightOf(rows)
  return { low, high, inside: weightOf(rows.filter(({ score }) => score > low && score < high)) / all }
}

function rightShare(rows: readonly LabeledScore[], fake: boolean): number {
  if (rows.length < MIN_ROWS) return 0
  return weightOf(rows.filter((row) => row.fake === fake)) / weightOf(rows)
}

function weightOf(rows: readonly LabeledScore[]): number {
  return rows.reduce((total, { weight = 1 }) => total + weight, 0)
}

function rounded(value: number): number {
  return Number(value.toFixed(2))
}

import type { Random } from '../../core/clock.js'
import { type LabeledScore, type RankedScores, rankOf } from './ranked-scores.js'

/** Resamples behind an interval; its ends then wander by about a tenth of its width. */
const RESAMPLES = 1000
/** Rows of a class that an interval needs: of two, it holds the true AUC in four of ten cases at best, of ten in eight or more. */
const MIN_CLASS_ROWS = 10
/** Share of the resamples that an interval covers. */
const COVERAGE = 0.95

/** Where 95 % of the resamples lie (percentile bootstrap). */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** A quantity of one ranking. */
export type Metric = (ranked: RankedScores) => number

/**
 * Intervals of several quantities from the same resamples, each class drawn by itself; null where one has no value, and of too
 * few rows.
 * @param scorings of the same rows in the same order, one for each ranking that a quantity takes
 */
export function bootstrapIntervals<Name extends string>(
  scorings: readonly (readonly LabeledScore[])[],
  quantities: Readonly<Record<Name, (...drawn: RankedScores[]) => number>>,
  random: Random,
): Record<Name, Interval | null> {
  const resample = resampler(scorings, random)
  const names = Object.keys(quantities) as Name[]
  const found = new Map<Name, number[]>(names.map((name) => [name, []]))
  const fakes = scorings[0]?.filter(({ fake }) => fake).length ?? 0
  const isFew = [fakes, (scorings[0]?.length ?? 0) - fakes].some((rows) => rows > 0 && rows < MIN_CLASS_ROWS)
  const resamples = isFew ? 0 : RESAMPLES
  for (let round = 0; round < resamples; round++) {
    const drawn = resample()
    for (const name of names) found.get(name)?.push(quantities[name](...drawn))
  }
  const entries = names.map((name) => [name, intervalOf(found.get(name) ?? [])])
  return Object.fromEntries(entries) as Record<Name, Interval | null>
}

/** Draws the same rows for several scorings of them, which have the rows in the same order. */
export function resampler(scorings: readonly (readonly LabeledScore[])[], random: Random): () => RankedScores[] {
  const [first] = scorings as [readonly LabeledScore[]]
  const ofClass = (fake: boolean) => first.flatMap((row, index) => (row.fake === fake ? [index] : []))
  const classes = [ofClass(true), ofClass(false)] as const
  const rankings = scorings.map((rows) => rankOf(rows.map(({ score }) => score)))
  return () => {
    const drawn = rankings.map(({ scores, ranks }) => ({
      scores,
      ranks,
      counts: [new Float64Array(scores.length), new Float64Array(scores.length)] as const,
    }))
    for (const [which, members] of classes.entries()) {
      for (let draw = 0; draw < members.length; draw++) {
        const row = members[Math.floor(random() * members.length)] as number
        const weight = first[row]?.weight ?? 1
        for (const { ranks, counts } of drawn) {
          const rank = ranks[row] as number
          const count = counts[which] as Float64Array
          count[rank] = (count[rank] as number) + weight
        }
      }
    }
    return drawn.map(({ scores, counts: [fakes, reals] }) => ({ scores, fakes, reals }))
  }
}

/** The middle 95 % of values, six decimals; null where one is not a number. */
export function intervalOf(values: readonly number[]): Interval | null {
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) return null
  const sorted = values.toSorted((a, b) => a - b)
  const end = (share: number) => Number(quantile(sorted, share).toFixed(6))
  return { low: end((1 - COVERAGE) / 2), high: end((1 + COVERAGE) / 2) }
}

/** A quantile of rising numbers, between two of them by a straight line; NaN where there is none. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

import type { LabeledScore } from '../metrics/ranked-scores.js'

/** Steps of the ends of a band. */
const STEP = 0.01
/** Rows that must lie beyond an end for its share to mean anything. */
const MIN_ROWS = 10
/** How much less often than all verdicts those of one side may be right. */
const SIDE_SLACK = 0.05
/** Keeps a share of just what is asked for from failing by its last bit. */
const TINY = 1e-9

/** Where verdicts begin; 1 or 0: none is given on that side. */
export interface SuggestedBand {
  readonly low: number
  readonly high: number
}

/** What lies beyond an end, each class as a share of itself, so that the odds are even. */
interface Side {
  readonly end: number
  readonly right: number
  readonly wrong: number
}

/**
 * The band outside which most is decided while, at even odds, at least `accuracy` of all verdicts are right and on each side
 * at most `SIDE_SLACK` less; of equal ones the narrowest. A side that does not earn it gets no verdict.
 */
export function suggestBand(rows: readonly LabeledScore[], accuracy: number): SuggestedBand {
  const ends = Array.from({ length: Math.round(0.5 / STEP) }, (_, index) => index * STEP)
  const earned = ({ right, wrong }: Side) => right / (right + wrong) >= accuracy - SIDE_SLACK - TINY
  const none = (end: number): Side => ({ end, right: 0, wrong: 0 })
  const highs = ends.map((end) => sideOf(rows, rounded(0.5 + end), true)).filter(earned)
  const lows = ends.map((end) => sideOf(rows, rounded(0.5 - end), false)).filter(earned)
  let best = { low: 0, high: 1, decided: 0 }
  for (const high of [...highs, none(1)]) {
    for (const low of [...lows, none(0)]) {
      const [right, wrong] = [high.right + low.right, high.wrong + low.wrong]
      const isRight = right / (right + wrong) >= accuracy - TINY
      if (isRight && right + wrong > best.decided) best = { low: low.end, high: high.end, decided: right + wrong }
    }
  }
  return { low: best.low, high: best.high }
}

/** Too few rows count as none, which earns nothing. */
function sideOf(rows: readonly LabeledScore[], end: number, fake: boolean): Side {
  const beyond = rows.filter(({ score }) => (fake ? score >= end : score <= end && score < 0.5))
  if (beyond.length < MIN_ROWS) return { end, right: 0, wrong: 0 }
  const share = (ofFakes: boolean) => weightOf(beyond, ofFakes) / weightOf(rows, ofFakes) || 0
  return { end, right: share(fake), wrong: share(!fake) }
}

const weightOf = (rows: readonly LabeledScore[], fake: boolean): number =>
  rows.reduce((total, row) => total + (row.fake === fake ? (row.weight ?? 1) : 0), 0)

const rounded = (value: number): number => Number(value.toFixed(2))

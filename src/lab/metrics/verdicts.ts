import { classTotals, type RankedScores } from './ranked-scores.js'

/** Where a risk becomes a verdict. */
export const VERDICT_RISK = 0.5

/** Weight of the rows by what they are and what they are called at risk 50. */
interface Verdicts {
  readonly flaggedFakes: number
  readonly missedFakes: number
  readonly flaggedReals: number
  readonly passedReals: number
}

function verdictsOf(ranked: RankedScores): Verdicts {
  const totals = classTotals(ranked)
  const flagged = (counts: ArrayLike<number>) => {
    let weight = 0
    for (let rank = 0; rank < counts.length; rank++)
      if ((ranked.scores[rank] as number) >= VERDICT_RISK) weight += counts[rank] as number
    return weight
  }
  const [flaggedFakes, flaggedReals] = [flagged(ranked.fakes), flagged(ranked.reals)]
  return {
    flaggedFakes,
    missedFakes: totals.fakes - flaggedFakes,
    flaggedReals,
    passedReals: totals.reals - flaggedReals,
  }
}

/** Share of the rows that are called what they are at risk 50; NaN without rows. */
export function accuracy(ranked: RankedScores): number {
  const { flaggedFakes, flaggedReals, missedFakes, passedReals } = verdictsOf(ranked)
  return (flaggedFakes + passedReals) / (flaggedFakes + missedFakes + flaggedReals + passedReals)
}

/** F1: the harmonic mean of precision and recall of fakes at risk 50; NaN without fakes. */
export function f1(ranked: RankedScores): number {
  const { flaggedFakes, flaggedReals, missedFakes } = verdictsOf(ranked)
  return flaggedFakes + missedFakes === 0
    ? Number.NaN
    : (2 * flaggedFakes) / (2 * flaggedFakes + flaggedReals + missedFakes)
}

/** Matthews' correlation coefficient of verdict and class at risk 50, -1 to 1; 0 where all are called alike, NaN for one class alone. */
export function matthewsCorrelation(ranked: RankedScores): number {
  const { flaggedFakes: tp, flaggedReals: fp, missedFakes: fn, passedReals: tn } = verdictsOf(ranked)
  if (tp + fn === 0 || fp + tn === 0) return Number.NaN
  const scale = Math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
  return scale === 0 ? 0 : (tp * tn - fp * fn) / scale
}

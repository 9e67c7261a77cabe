import type { RankedScores } from './ranked-scores.js'

/** Where a risk becomes a verdict. */
export const VERDICT_RISK = 0.5

/** Weight of the rows by what they are and what they are called. */
interface Verdicts {
  readonly flaggedFakes: number
  readonly missedFakes: number
  readonly flaggedReals: number
  readonly passedReals: number
}

/** What calling everything from a risk up fake gives. @param counts which risks do */
export function verdictsAt(
  { scores, fakes, reals }: RankedScores,
  threshold = VERDICT_RISK,
  counts: (risk: number) => boolean = () => true,
): Verdicts {
  const verdicts = { flaggedFakes: 0, missedFakes: 0, flaggedReals: 0, passedReals: 0 }
  for (let rank = 0; rank < scores.length; rank++) {
    const risk = scores[rank] as number
    if (!counts(risk)) continue
    const isFlagged = risk >= threshold
    verdicts[isFlagged ? 'flaggedFakes' : 'missedFakes'] += fakes[rank] as number
    verdicts[isFlagged ? 'flaggedReals' : 'passedReals'] += reals[rank] as number
  }
  return verdicts
}

/** Share of the rows that are called what they are at risk 50; NaN without rows. */
export function accuracy(ranked: RankedScores): number {
  const { flaggedFakes, flaggedReals, missedFakes, passedReals } = verdictsAt(ranked)
  return (flaggedFakes + passedReals) / (flaggedFakes + missedFakes + flaggedReals + passedReals)
}

/** F1: the harmonic mean of precision and recall of fakes at risk 50; NaN without fakes. */
export function f1(ranked: RankedScores): number {
  const { flaggedFakes, flaggedReals, missedFakes } = verdictsAt(ranked)
  return flaggedFakes + missedFakes === 0
    ? Number.NaN
    : (2 * flaggedFakes) / (2 * flaggedFakes + flaggedReals + missedFakes)
}

/** Matthews' correlation coefficient of verdict and class at risk 50, -1 to 1; 0 where all are called alike, NaN for one class alone. */
export function matthewsCorrelation(ranked: RankedScores): number {
  const { flaggedFakes: tp, flaggedReals: fp, missedFakes: fn, passedReals: tn } = verdictsAt(ranked)
  if (tp + fn === 0 || fp + tn === 0) return Number.NaN
  const scale = Math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
  return scale === 0 ? 0 : (tp * tn - fp * fn) / scale
}

import { classTotals, type RankedScores } from './ranked-scores.js'

/** Keeps a rate of just the limit from being above it by its last bit, where rows are weighted. */
const TINY = 1e-9

/** One point of the ROC curve: what calling everything from `threshold` up fake gives. */
export interface RocPoint {
  readonly threshold: number
  /** Share of the real rows that are flagged. */
  readonly fpr: number
  /** Share of the fake rows that are flagged. */
  readonly tpr: number
}

/** The ROC curve from (0, 0), whose threshold is Infinity, to (1, 1); one point for each distinct score. */
export function rocPoints(ranked: RankedScores): RocPoint[] {
  const totals = classTotals(ranked)
  const points: RocPoint[] = [{ threshold: Number.POSITIVE_INFINITY, fpr: 0, tpr: 0 }]
  let [fakes, reals] = [0, 0]
  for (let rank = 0; rank < ranked.scores.length; rank++) {
    fakes += ranked.fakes[rank] as number
    reals += ranked.reals[rank] as number
    points.push({ threshold: ranked.scores[rank] as number, fpr: reals / totals.reals, tpr: fakes / totals.fakes })
  }
  return points
}

/** Area under the ROC curve: how often a fake scores above a real one, ties half (Mann, Whitney). NaN without both. */
export function areaUnderRoc({ fakes, reals }: RankedScores): number {
  let [above, area, seenReals] = [0, 0, 0]
  for (let rank = 0; rank < fakes.length; rank++) {
    const [fake, real] = [fakes[rank] as number, reals[rank] as number]
    area += real * (above + fake / 2)
    above += fake
    seenReals += real
  }
  return area / (above * seenReals)
}

/** The highest true positive rate of any threshold whose false positive rate is at most `maxFpr`; NaN where a class is missing. */
export function tprAtFpr(ranked: RankedScores, maxFpr: number): number {
  const totals = classTotals(ranked)
  if (totals.fakes === 0 || totals.reals === 0) return Number.NaN
  let [fakes, reals] = [0, 0]
  for (let rank = 0; rank < ranked.scores.length; rank++) {
    const next = reals + (ranked.reals[rank] as number)
    if (next / totals.reals > maxFpr + TINY) break
    reals = next
    fakes += ranked.fakes[rank] as number
  }
  return fakes / totals.fakes
}

/** The error rate where as many real rows are flagged as fake ones are missed, between two points by a straight line. */
export function equalErrorRate(ranked: RankedScores): number {
  const points = rocPoints(ranked)
  for (let index = 1; index < points.length; index++) {
    const [before, after] = [points[index - 1] as RocPoint, points[index] as RocPoint]
    const gapBefore = 1 - before.tpr - before.fpr
    const gapAfter = 1 - after.tpr - after.fpr
    if (gapAfter > 0) continue
    const share = gapBefore === gapAfter ? 0 : gapBefore / (gapBefore - gapAfter)
    return before.fpr + share * (after.fpr - before.fpr)
  }
  return Number.NaN
}

import { classTotals, type RankedScores } from './ranked-scores.js'

/** One point of the precision-recall curve. */
export interface PrecisionRecallPoint {
  readonly threshold: number
  /** Share of the fake rows that are flagged. */
  readonly recall: number
  /** Share of the flagged rows that are fake. */
  readonly precision: number
}

/** The precision-recall curve, from the highest threshold down; one point for each distinct score. */
export function precisionRecallPoints(ranked: RankedScores): PrecisionRecallPoint[] {
  const totals = classTotals(ranked)
  const points: PrecisionRecallPoint[] = []
  let [fakes, all] = [0, 0]
  for (let rank = 0; rank < ranked.scores.length; rank++) {
    fakes += ranked.fakes[rank] as number
    all += (ranked.fakes[rank] as number) + (ranked.reals[rank] as number)
    if (all > 0)
      points.push({ threshold: ranked.scores[rank] as number, recall: fakes / totals.fakes, precision: fakes / all })
  }
  return points
}

/** Average precision: the precision at each threshold, weighted by the recall it adds, without interpolation. NaN without fakes. */
export function averagePrecision(ranked: RankedScores): number {
  let [area, recallBefore] = [0, 0]
  for (const { recall, precision } of precisionRecallPoints(ranked)) {
    area += (recall - recallBefore) * precision
    recallBefore = recall
  }
  return classTotals(ranked).fakes === 0 ? Number.NaN : area
}

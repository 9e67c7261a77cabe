import { type RankedScores, sum } from './ranked-scores.js'

/** Bins of equal width that reliability is looked at in. */
const RELIABILITY_BINS = 10
/** Risks are kept this far from 0 and 1 in the log loss, so that one sure mistake costs 13.8, not everything. */
const LOG_LOSS_MARGIN = 1e-6

/** The rows whose risk lies in one bin. */
export interface ReliabilityBin {
  /** [from, to), the last one with its end. */
  readonly from: number
  readonly to: number
  /** Total weight of the rows; the number of rows where none is weighted. */
  readonly rows: number
  /** Mean risk of the rows; NaN where there is none. */
  readonly meanRisk: number
  /** Share of the rows that are fake; NaN where there is none. */
  readonly fakeShare: number
}

/** Risk against the share of fakes, by bins of equal width. */
export function reliabilityBins({ scores, fakes, reals }: RankedScores): ReliabilityBin[] {
  const totals = Array.from({ length: RELIABILITY_BINS }, () => ({ rows: 0, risk: 0, fakes: 0 }))
  for (let rank = 0; rank < scores.length; rank++) {
    const [risk, fake] = [scores[rank] as number, fakes[rank] as number]
    const rows = fake + (reals[rank] as number)
    const bin = totals[Math.min(RELIABILITY_BINS - 1, Math.floor(risk * RELIABILITY_BINS))] as (typeof totals)[number]
    bin.rows += rows
    bin.risk += rows * risk
    bin.fakes += fake
  }
  return totals.map((bin, index) => ({
    from: index / RELIABILITY_BINS,
    to: (index + 1) / RELIABILITY_BINS,
    rows: bin.rows,
    meanRisk: bin.risk / bin.rows,
    fakeShare: bin.fakes / bin.rows,
  }))
}

/** Expected calibration error: the mean distance of risk and share of fakes over the bins, weighted by their rows (Guo et al. 2017). */
export function expectedCalibrationError(ranked: RankedScores): number {
  const bins = reliabilityBins(ranked).filter(({ rows }) => rows > 0)
  const rows = sum(bins.map((bin) => bin.rows))
  return sum(bins.map((bin) => bin.rows * Math.abs(bin.meanRisk - bin.fakeShare))) / rows
}

/** Brier score: mean squared distance of the risk from what the row is. */
export function brierScore(ranked: RankedScores): number {
  return meanCost(
    ranked,
    (risk) => (1 - risk) ** 2,
    (risk) => risk ** 2,
  )
}

/** Mean of -ln of the probability that was given to what the row is. */
export function logLoss(ranked: RankedScores): number {
  const inside = (risk: number) => Math.min(1 - LOG_LOSS_MARGIN, Math.max(LOG_LOSS_MARGIN, risk))
  return meanCost(
    ranked,
    (risk) => -Math.log(inside(risk)),
    (risk) => -Math.log(1 - inside(risk)),
  )
}

function meanCost(
  { scores, fakes, reals }: RankedScores,
  ofFake: (risk: number) => number,
  ofReal: (risk: number) => number,
): number {
  let [cost, weight] = [0, 0]
  for (let rank = 0; rank < scores.length; rank++) {
    const [risk, fake, real] = [scores[rank] as number, fakes[rank] as number, reals[rank] as number]
    cost += fake * ofFake(risk) + real * ofReal(risk)
    weight += fake + real
  }
  return cost / weight
}

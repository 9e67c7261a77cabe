/** Every number that a service is told for one risk. */
export interface ScoreValues {
  /** Risk in whole basis points, 0 to 10000. */
  readonly deepfakeRiskBps: number
  /** Risk as a percentage with at most two decimals, 0 to 100. */
  readonly deepfakeRiskScore: number
  /** 100 less the risk as a percentage, at most two decimals. */
  readonly authenticityScore: number
}

/** Digits of a decimal that a double keeps: 0.00015 is a hair less as a double, and still is half a basis point. */
const KEPT_DIGITS = 15

/**
 * The one place where a calibrated risk becomes numbers: it is rounded once, half up, to whole basis points, and every
 * value is exactly those basis points in another unit, so that they never contradict each other.
 * @param risk in [0, 1]
 */
export function scoreValues(risk: number): ScoreValues {
  const deepfakeRiskBps = Math.round(Number((risk * 10_000).toPrecision(KEPT_DIGITS)))
  return {
    deepfakeRiskBps,
    deepfakeRiskScore: deepfakeRiskBps / 100,
    authenticityScore: (10_000 - deepfakeRiskBps) / 100,
  }
}

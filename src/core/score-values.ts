import { basisPointsOf, type Risk } from './risk.js'

/** Every number that is sent to a service for one risk. */
export interface ScoreValues {
  /** Risk in whole basis points, 0 to 10000. */
  readonly deepfakeRiskBps: number
  /** Risk as a percentage with at most two decimals, 0 to 100. */
  readonly deepfakeRiskScore: number
  /** 100 less the risk as a percentage, at most two decimals. */
  readonly authenticityScore: number
}

/**
 * The one place where a calibrated risk becomes the numbers of an API: it is rounded once, half up, to whole basis
 * points, and every value is exactly those basis points in another unit, so that they never contradict each other.
 */
export function scoreValues(risk: Risk): ScoreValues {
  const deepfakeRiskBps = basisPointsOf(risk)
  return {
    deepfakeRiskBps,
    deepfakeRiskScore: deepfakeRiskBps / 100,
    authenticityScore: (10_000 - deepfakeRiskBps) / 100,
  }
}

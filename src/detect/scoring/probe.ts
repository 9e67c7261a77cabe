import type { DetectorManifest } from '../package/manifest.js'
import { isUnsure, logitOf } from './calibration.js'

type Plan = Pick<DetectorManifest, 'stabilityProbe' | 'decisionBand'>

/**
 * Whether re-encodings of a file of this risk are scored. Not inside the band, where the verdict is unsure already; with
 * a margin, only where the risk is near enough to 50 % or to its side of the band that one could flip it.
 */
export function isProbed(risk: number, { stabilityProbe, decisionBand }: Plan): boolean {
  if (stabilityProbe === false || isUnsure(risk, decisionBand)) return false
  if (stabilityProbe === true) return true
  const edge = risk > 0.5 ? decisionBand.high : decisionBand.low
  const distances = [0.5, edge].map((each) => Math.abs(logitOf(risk) - logitOf(each)))
  return Math.min(...distances) <= stabilityProbe.withinLogit
}

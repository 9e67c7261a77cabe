import type { Risk } from '../../core/risk.js'
import type { DetectorManifest } from '../package/manifest.js'
import { isUnsure, logitOf } from './calibration.js'

type Plan = Pick<DetectorManifest, 'stabilityProbe' | 'decisionBand'>

/**
 * Whether re-encodings of a file of this risk are scored. Not inside the band, where the verdict is unsure already; with
 * a margin, only where the risk is near enough to 50 % that one could carry it to the other side.
 */
export function isProbed(risk: Risk, { stabilityProbe, decisionBand }: Plan): boolean {
  if (stabilityProbe === false || isUnsure(risk, decisionBand)) return false
  return stabilityProbe === true || Math.abs(logitOf(risk)) <= stabilityProbe.withinLogit
}

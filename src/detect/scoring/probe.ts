import type { Risk } from '../../core/risk.js'
import type { DetectorManifest } from '../package/manifest.js'
import { atShare, isUnsure, logitOf } from './calibration.js'

type Plan = Pick<DetectorManifest, 'stabilityProbe' | 'decisionBand'>

/** Whether a file of this risk gets a verdict, for which what people may see or hear in addition counts. Parameters as of `isProbed`. */
export function isVerdict(evenRisk: Risk, share: number | null, { decisionBand }: Pick<Plan, 'decisionBand'>): boolean {
  return share !== null && !isUnsure(atShare(evenRisk, share), decisionBand)
}

/** Whether a file of this risk gets the verdict "real", which pictures or sound in other places may contradict. Parameters as of `isProbed`. */
export const isVerdictReal = (evenRisk: Risk, share: number | null, plan: Pick<Plan, 'decisionBand'>): boolean =>
  share !== null && isVerdict(evenRisk, share, plan) && atShare(evenRisk, share) < 0.5

/**
 * Whether re-encodings of a file of this risk are scored. Not inside the band, where the verdict is unsure already; with
 * a margin, only where the risk is near enough to 50 % that one could carry it to the other side.
 * @param evenRisk at even odds
 * @param share expected share at which the verdict is given; null: nothing is probed
 */
export function isProbed(evenRisk: Risk, share: number | null, { stabilityProbe, decisionBand }: Plan): boolean {
  if (share === null || stabilityProbe === false) return false
  const risk = atShare(evenRisk, share)
  if (isUnsure(risk, decisionBand)) return false
  return stabilityProbe === true || Math.abs(logitOf(risk)) <= stabilityProbe.withinLogit
}

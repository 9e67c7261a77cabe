import { riskText } from '../core/risk.js'
import type { Detection, RiskyPart } from '../detect/detection.js'
import { EVEN_ODDS } from '../detect/package/calibration-schema.js'
import { doubtText, shareText } from '../detect/scoring/to-detection.js'

/** Parts that are listed one by one; all are in the JSON. */
const SHOWN_PARTS = 3

/** A detection for people: risk, doubt, what drove it, how re-encodings fare, what the file states. */
export function detectionLines(detection: Detection): string[] {
  const { detectorId, detectorVersion, expectedShare, risk, parts, variants, evidence, heatMap, notes } = detection
  const doubt = doubtText(detection)
  return [
    `risk ${riskText(risk)} of 100${expectedShare === EVEN_ODDS ? '' : `; ${shareText(expectedShare)}`}`,
    ...(doubt === null ? [] : [`unsure: it ${doubt}; the default policy abstains`]),
    `${detectorId}@${detectorVersion}: ${notes}`,
    ...list('highest parts', parts.slice(0, SHOWN_PARTS)),
    ...list('re-encoded', variants),
    ...(heatMap ? [heatMapText(heatMap)] : []),
    ...evidence.map(({ text }) => `the file states: ${text}`),
    ...(evidence.length === 0 ? [] : ['What a file states about itself can be forged; it does not affect the risk.']),
  ]
}

function heatMapText({ pieces, lowest, highest }: NonNullable<Detection['heatMap']>): string {
  return `heat map: ${pieces} pieces scored by themselves, risks ${riskText(lowest, 1)} to ${riskText(highest, 1)}`
}

function list(title: string, parts: readonly RiskyPart[]): string[] {
  if (parts.length === 0) return []
  return [`${title}: ${parts.map(({ name, risk }) => `${name} ${riskText(risk, 1)}`).join(', ')}`]
}

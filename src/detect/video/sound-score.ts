import { isAbstention } from '../../core/errors.js'
import { riskText } from '../../core/risk.js'
import type { ChildDetector } from '../contract/child-detector.js'
import { EVEN_ODDS } from '../package/calibration-schema.js'
import { calibrate, isUnsure, logitOf } from '../scoring/calibration.js'

/** What the sound track adds to a clip. */
export interface SoundScore {
  /** Calibrated logit; null where it has no say. */
  readonly logit: number | null
  /** A few words for the notes. */
  readonly summary: string
}

/**
 * Scores the sound of a video by an audio detector. It can only raise the risk of a clip, and only where the detector is
 * sure: real speech states nothing about the pictures, and music or silence nothing at all.
 * @throws AttestdError for faults of the detector; a sound track that cannot be judged is no fault
 */
export async function scoreSound(detector: ChildDetector, file: string): Promise<SoundScore> {
  try {
    const { rawScore: mean, length, variants } = await detector.measure(file, EVEN_ODDS)
    const rawScore = Math.max(mean, ...variants.map((channel) => channel.rawScore))
    const { calibration, decisionBand } = detector.pack.manifest
    const risk = calibrate(rawScore, calibration, length)
    const isSuspicious = risk >= decisionBand.high
    const isUnclear = isUnsure(risk, decisionBand)
    const verdict = isUnclear ? 'is unsure' : isSuspicious ? 'counts' : 'is not suspicious'
    return {
      logit: isSuspicious && !isUnclear ? logitOf(risk) : null,
      summary: `sound ${verdict} (risk ${riskText(risk, 1)})`,
    }
  } catch (error) {
    if (!isAbstention(error)) throw error
    return { logit: null, summary: `sound not judged (${error.reason})` }
  }
}

import { asRisk, percentOf, type Risk, riskText } from '../../core/risk.js'
import { cleanText } from '../../core/text.js'
import {
  type Evidence,
  MAX_TEXT,
  type MeasuredFile,
  type Measurement,
  type ScoredPart,
} from '../contract/measurement.js'
import type { Detection, RiskyPart } from '../detection.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { atShare, type Band, calibrate, isUnsure } from './calibration.js'

/** Characters of evidence that go into the notes. */
const MAX_NOTES = 700
/** Ends the notes of a file whose evidence took too long or too much memory. */
const UNREAD = '; what it states about itself could not be read'

/** A calibrated detection from what a child measured. @param made platform and expected share, see `Detection` */
export function toDetection(
  { manifest, digest }: DetectorPackage,
  measurement: MeasuredFile,
  { platform, expectedShare }: Pick<Detection, 'platform' | 'expectedShare'>,
): Detection {
  const { rawScore, length, notes, evidence, elapsedMs } = measurement
  const riskOf = (logit: number) => atShare(calibrate(logit, manifest.calibration, length), expectedShare)
  const risk = riskOf(rawScore)
  const risky = (part: ScoredPart): RiskyPart => ({ name: part.name, risk: riskOf(part.rawScore) })
  const variants = measurement.variants.map(risky)
  const unsureBecause = reasonForDoubt(risk, manifest.decisionBand, variants)
  return {
    detectorId: manifest.id,
    detectorVersion: manifest.version,
    detectorDigest: digest,
    risk,
    rawScore,
    length,
    unsure: unsureBecause !== null,
    unsureBecause,
    parts: measurement.parts.map(risky),
    variants,
    evidence,
    notes,
    elapsedMs,
    platform,
    expectedShare,
  }
}

/** A risk above the band may not fall below 0.5 in a variant, nor one below it rise above: then the verdict depends on how the file is read. */
function reasonForDoubt(risk: Risk, band: Band, variants: readonly RiskyPart[]): Detection['unsureBecause'] {
  if (isUnsure(risk, band)) return 'band'
  return variants.some((variant) => isFlip(variant.risk, risk)) ? 'flip' : null
}

/** Whether a variant's risk lies on the other side of 0.5 than that of the file itself. */
export const isFlip = (variantRisk: Risk, risk: Risk): boolean => variantRisk > 0.5 !== risk > 0.5

/** For which share of machine-made media risks are stated, for people. */
export const shareText = (expectedShare: number): string =>
  `risks for ${percentOf(asRisk(expectedShare))} % machine-made media (ATTESTD_EXPECTED_SHARE)`

/** Why a detection is unsure, as the end of a sentence about its risk; null where it is sure. */
export function doubtText({
  risk,
  unsureBecause,
  variants,
}: Pick<Detection, 'risk' | 'unsureBecause' | 'variants'>): string | null {
  if (unsureBecause === null) return null
  if (unsureBecause === 'band') return 'lies in the decision band'
  const flips = variants.filter((variant) => isFlip(variant.risk, risk)).map(flipText)
  return `depends on how the file is read: ${flips.length > 0 ? flips.join(', ') : 'another reading flips the verdict'}`
}

const flipText = ({ name, risk }: RiskyPart): string => `${riskText(risk, 1)} as ${name}`

/** A measurement with the evidence read after it, and its cost. @param read null where the process ended over it */
export function withEvidenceRead(
  measurement: Measurement,
  read: { readonly evidence: readonly Evidence[] | null; readonly processorMs: number } | null,
): MeasuredFile {
  const { elapsedMs, notes } = measurement
  const { evidence = null, processorMs = 0 } = read ?? {}
  const stages = elapsedMs.stages && { ...elapsedMs.stages, evidence: processorMs }
  return {
    ...measurement,
    notes: evidence === null ? `${cleanText(notes, MAX_TEXT - UNREAD.length)}${UNREAD}` : notes,
    evidence: evidence ?? [],
    elapsedMs: { ...elapsedMs, stages },
  }
}

/** A line of notes with what the file states about itself added, as far as it fits. */
export function withEvidence(notes: string, evidence: readonly Evidence[]): string {
  const shown: string[] = []
  let length = 0
  for (const { text } of evidence) {
    length += text.length
    if (length > MAX_NOTES) break
    shown.push(text)
  }
  if (shown.length === 0) return notes
  const more = evidence.length - shown.length
  const states = `; states: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
  return `${cleanText(notes, MAX_TEXT - states.length)}${states}`
}

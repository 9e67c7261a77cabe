import { type Risk, riskText } from '../../core/risk.js'
import type { Measurement, ScoredPart } from '../contract/measurement.js'
import type { Detection, RiskyPart } from '../detection.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { calibrate, isUnsure } from './calibration.js'

/**
 * A calibrated detection from what a child measured.
 * @param platform see `Detection.platform`
 */
export function toDetection(
  { manifest, digest }: DetectorPackage,
  measurement: Measurement,
  platform: string,
): Detection {
  const { rawScore, length, notes, evidence, elapsedMs } = measurement
  const risk = calibrate(rawScore, manifest.calibration, length)
  const risky = ({ name, rawScore }: ScoredPart): RiskyPart => ({
    name,
    risk: calibrate(rawScore, manifest.calibration, length),
  })
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
    heatMap: measurement.heatMap,
    notes,
    elapsedMs,
    platform,
  }
}

/** A risk above the band may not fall below 0.5 in a variant, nor one below it rise above: then the verdict hangs on the encoding. */
function reasonForDoubt(
  risk: Risk,
  band: { readonly low: number; readonly high: number },
  variants: readonly RiskyPart[],
): Detection['unsureBecause'] {
  if (isUnsure(risk, band)) return 'band'
  return variants.some((variant) => isFlip(variant.risk, risk)) ? 'flip' : null
}

/** Whether a variant's risk lies on the other side of 0.5 than that of the file itself. */
export function isFlip(variantRisk: Risk, risk: Risk): boolean {
  return variantRisk > 0.5 !== risk > 0.5
}

/** Why a detection is unsure, as the end of a sentence about its risk; null where it is sure. */
export function doubtText({
  risk,
  unsureBecause,
  variants,
}: Pick<Detection, 'risk' | 'unsureBecause' | 'variants'>): string | null {
  if (unsureBecause === null) return null
  if (unsureBecause === 'band') return 'lies in the decision band'
  const flips = variants.filter((variant) => isFlip(variant.risk, risk)).map(flipText)
  return `depends on the encoding: ${flips.length > 0 ? flips.join(', ') : 'a re-encoding flips the verdict'}`
}

function flipText({ name, risk }: RiskyPart): string {
  return `${riskText(risk, 1)} as ${name}`
}

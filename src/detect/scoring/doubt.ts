import { type Risk, riskText } from '../../core/risk.js'
import type { Detection, RiskyPart } from '../detection.js'

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

import type { Calibration } from './manifest.js'

/** Probabilities are kept this far from 0 and 1 before they become a logit, so that the logit stays finite (about ±13.8). */
const PROBABILITY_MARGIN = 1e-6

/** The probability of a logit, [0, 1]; exact at both ends, never NaN for a finite logit. */
export function sigmoid(logit: number): number {
  if (logit >= 0) return 1 / (1 + Math.exp(-logit))
  const odds = Math.exp(logit)
  return odds / (1 + odds)
}

/** The logit of a probability, after moving it `PROBABILITY_MARGIN` away from 0 and 1. */
export function logitOf(probability: number): number {
  const inside = Math.min(1 - PROBABILITY_MARGIN, Math.max(PROBABILITY_MARGIN, probability))
  return Math.log(inside / (1 - inside))
}

/**
 * The calibrated probability of being fake, [0, 1].
 * `platt`: sigmoid(slope * logit + intercept), the fit of Platt (1999); `identity`: sigmoid(logit).
 */
export function calibrate(logit: number, calibration: Calibration): number {
  return calibration.kind === 'platt' ? sigmoid(calibration.slope * logit + calibration.intercept) : sigmoid(logit)
}

/** Whether a risk lies inside the decision band, its ends excluded; a band of width 0 is never entered. */
export function isUnsure(risk: number, band: { readonly low: number; readonly high: number }): boolean {
  return risk > band.low && risk < band.high
}

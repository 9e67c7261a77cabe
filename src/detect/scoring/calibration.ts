import { asRisk, type Risk } from '../../core/risk.js'
import { type Calibration, EVEN_ODDS } from '../package/calibration-schema.js'

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
 * `platt`: sigmoid(slope * logit + intercept), the fit of Platt (1999); `temperature`: sigmoid(logit / temperature),
 * Guo et al. (2017); `isotonic`: Zadrozny and Elkan (2002); `identity`: sigmoid(logit).
 * @param length of the input, in the unit of the calibration's bins; needed for `by-length` only
 */
export const calibrate = (logit: number, calibration: Calibration, length = Number.POSITIVE_INFINITY): Risk =>
  asRisk(probabilityOf(logit, calibration, length))

/**
 * A risk stated at even odds, where `share` of the media is machine-made instead: its odds times the ratio of the priors' odds.
 * The ends of a decision band are risks and stay; on the raw score the band thus moves by the same ratio.
 * @param share above 0 and below 1
 */
export function atShare(risk: Risk, share: number): Risk {
  if (share === EVEN_ODDS) return risk
  const fake = risk * share
  return asRisk(fake / (fake + (1 - risk) * (1 - share)))
}

function probabilityOf(logit: number, calibration: Calibration, length: number): number {
  switch (calibration.kind) {
    case 'identity':
      return sigmoid(logit)
    case 'temperature':
      return sigmoid(logit / calibration.temperature)
    case 'platt':
      return sigmoid(calibration.slope * logit + calibration.intercept)
    case 'isotonic':
      return interpolate(logit, calibration.logits, calibration.risks)
    case 'by-length': {
      const bin = calibration.bins.find(({ upTo }) => upTo === undefined || length <= upTo)
      return bin === undefined ? sigmoid(logit) : sigmoid(bin.slope * logit + bin.intercept)
    }
  }
}

/** Ends of a decision band, as risks from 0 to 1; on the side of an end at 0 or 1 there is no verdict. */
export interface Band {
  readonly low: number
  readonly high: number
}

/**
 * Whether a risk lies inside the decision band, its ends excluded; a band of width 0 is never entered. An end at 0 or 1 belongs to
 * the band: isotonic calibrations give these risks.
 */
export const isUnsure = (risk: Risk, { low, high }: Band): boolean =>
  (risk > low || low === 0) && (risk < high || high === 1)

function interpolate(x: number, xs: readonly number[], ys: readonly number[]): number {
  const above = xs.findIndex((each) => each >= x)
  if (above === -1) return ys.at(-1) as number
  if (above === 0) return ys[0] as number
  const [x0, x1, y0, y1] = [xs[above - 1], xs[above], ys[above - 1], ys[above]] as [number, number, number, number]
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
}

import { z } from 'zod'
import { asRisk, type Risk } from '../../core/risk.js'

/** Probabilities are kept this far from 0 and 1 before they become a logit, so that the logit stays finite (about ±13.8). */
const PROBABILITY_MARGIN = 1e-6

const line = z.strictObject({ slope: z.number().positive(), intercept: z.number() })

/** How a raw logit becomes a probability; each kind is monotone, so that it never changes which of two files is riskier. */
export const calibrationSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('identity') }),
    z.strictObject({ kind: z.literal('temperature'), temperature: z.number().positive() }),
    z.strictObject({ kind: z.literal('platt'), ...line.shape }),
    /** Piecewise linear between the knots, flat beyond them. */
    z.strictObject({
      kind: z.literal('isotonic'),
      logits: z.array(z.number()).min(2).max(200),
      risks: z.array(z.number().min(0).max(1)).min(2).max(200),
    }),
    /** Platt by the length of the input (characters, seconds): the first bin whose `upTo` is not below it; the last has none. */
    z.strictObject({
      kind: z.literal('by-length'),
      bins: z
        .array(line.extend({ upTo: z.number().positive().optional() }))
        .min(1)
        .max(20),
    }),
  ])
  .superRefine((calibration, context) => {
    const complain = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (calibration.kind === 'isotonic') {
      const { logits, risks } = calibration
      if (logits.length !== risks.length) complain('risks', 'must have as many values as logits')
      if (!rises(logits, true)) complain('logits', 'must rise')
      if (!rises(risks, false)) complain('risks', 'must not fall')
    }
    if (calibration.kind === 'by-length') {
      const ends = calibration.bins.map(({ upTo }) => upTo ?? Number.POSITIVE_INFINITY)
      if (!rises(ends, true) || ends.at(-1) !== Number.POSITIVE_INFINITY)
        complain('bins', 'must rise by upTo, and the last one has none')
    }
  })

export type Calibration = z.infer<typeof calibrationSchema>

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
export function calibrate(logit: number, calibration: Calibration, length = Number.POSITIVE_INFINITY): Risk {
  return asRisk(probabilityOf(logit, calibration, length))
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

/** Whether a risk lies inside the decision band, its ends excluded; a band of width 0 is never entered. */
export function isUnsure(risk: Risk, band: { readonly low: number; readonly high: number }): boolean {
  return risk > band.low && risk < band.high
}

function rises(values: readonly number[], strictly: boolean): boolean {
  return values.every((value, index) => {
    const before = values[index - 1] ?? Number.NEGATIVE_INFINITY
    return strictly ? value > before : value >= before
  })
}

function interpolate(x: number, xs: readonly number[], ys: readonly number[]): number {
  const above = xs.findIndex((each) => each >= x)
  if (above === -1) return ys.at(-1) as number
  if (above === 0) return ys[0] as number
  const [x0, x1, y0, y1] = [xs[above - 1], xs[above], ys[above - 1], ys[above]] as [number, number, number, number]
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0)
}

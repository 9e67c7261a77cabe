import { z } from 'zod'

/** The prior of every package: a risk is the probability where half of the media is machine-made. */
export const EVEN_ODDS = 0.5

const prior = z.literal(EVEN_ODDS, `must be ${EVEN_ODDS}: risks are stated at even odds`).optional()
const line = z.strictObject({ slope: z.number().positive(), intercept: z.number() })

/** How a raw logit becomes a probability; each kind is monotone, so that it never changes which of two files is riskier. */
export const calibrationSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('identity'), prior }),
    z.strictObject({ kind: z.literal('temperature'), prior, temperature: z.number().positive() }),
    z.strictObject({ kind: z.literal('platt'), prior, ...line.shape }),
    /** Piecewise linear between the knots, flat beyond them. */
    z.strictObject({
      kind: z.literal('isotonic'),
      prior,
      logits: z.array(z.number()).min(2).max(200),
      risks: z.array(z.number().min(0).max(1)).min(2).max(200),
    }),
    /** Platt by the length of the input (characters, seconds): the first bin whose `upTo` is not below it; the last has none. */
    z.strictObject({
      kind: z.literal('by-length'),
      prior,
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

/** The calibration of a manifest, applied to natural logits; `attestd models calibrate` fits one. */
export type Calibration = z.infer<typeof calibrationSchema>

function rises(values: readonly number[], strictly: boolean): boolean {
  return values.every((value, index) => {
    const before = values[index - 1] ?? Number.NEGATIVE_INFINITY
    return strictly ? value > before : value >= before
  })
}

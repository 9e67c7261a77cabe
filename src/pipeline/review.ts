import { z } from 'zod'
import { type Risk, riskText, storedRisk } from '../core/risk.js'
import { ALGORITHM_MAX } from '../service/wire-fields.js'

/** What a person who decides sees of an unsure verdict, in addition to its risk; kept in the submit job until somebody decides. */
export const review = z.object({
  /** Unix ms of service time; without a decision until then the asset gets no score. */
  deadline: z.number(),
  /** Why the verdict is unsure, as the end of a sentence about its risk. */
  doubt: z.string(),
  /** Crops, faces, windows, frames or passages with the highest risks, highest first. */
  parts: z.array(z.object({ name: z.string(), risk: storedRisk })),
  /** What the file states about its own origin. */
  evidence: z.array(z.object({ kind: z.string(), text: z.string() })),
})
export type Review = z.infer<typeof review>

/** What a person decided. */
export const decision = z.object({
  risk: storedRisk,
  /** User of the console. */
  by: z.string(),
  /** Unix ms. */
  at: z.number(),
  note: z.string(),
})
export type Decision = z.infer<typeof decision>

interface Stated {
  readonly risk: Risk
  readonly algorithm: string
  readonly notes: string
}

/** The label begins so where a person decided; the detector that was unsure follows. */
export const HUMAN_LABEL = 'human-review+'

/** What is submitted: the verdict, or the decision of a person under a label that states so. */
export function statedOf({
  decision: by,
  verdict,
}: {
  readonly decision?: Decision | undefined
  readonly verdict: Stated
}): Stated {
  if (by === undefined) return verdict
  const { algorithm, risk } = verdict
  const notes = `Decided by a person; ${algorithm} measured ${riskText(risk)}. ${by.note}`.trim()
  return { risk: by.risk, algorithm: `${HUMAN_LABEL}${algorithm}`.slice(0, ALGORITHM_MAX), notes }
}

import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { type Reason, reasonEntry } from '../../core/reasons.js'
import { cleanLine } from '../../core/text.js'
import { highestParts, MAX_TEXT, type Measurement, type ScoredPart } from '../contract/measurement.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { outputAsLogit } from '../scoring/aggregation.js'

/** Longest name of a part, characters. */
const MAX_PART_NAME = 200

const score = { logit: z.number().optional(), probability: z.number().optional() }

/** What whoever reads a file itself gives for it: a logit or a probability, as the manifest's outputKind states. */
const fileScore = z.strictObject({
  ...score,
  /** One line: what was seen. */
  notes: z.string().optional(),
  /** In the unit of a `by-length` calibration. */
  length: z.number().min(0).optional(),
  parts: z
    .array(z.strictObject({ name: z.string(), ...score }))
    .max(1000)
    .optional(),
})

/** The reason of the list, if it is one for which a file gets no score by what it is; null for any other text. */
export function abstention(reason: string | undefined): Reason | null {
  const abstains = /^(?:media|language)-/.test(reason ?? '') && reasonEntry(reason as Reason)?.kind === 'abstain'
  return abstains ? (reason as Reason) : null
}

/** Checks what a module or a server gives for a file. @param by its name for errors @throws detector-failed */
export function fileScoreOf(
  value: unknown,
  pack: DetectorPackage,
  by: 'module' | 'server',
): Pick<Measurement, 'rawScore' | 'notes' | 'length' | 'parts'> {
  const named = `The ${by} of ${pack.manifest.id}`
  const parsed = fileScore.safeParse(value)
  if (!parsed.success) {
    const how = z.prettifyError(parsed.error)
    throw new AttestdError('detector-failed', `${named} returned a malformed result: ${how}`)
  }
  const { notes, length, parts = [], ...whole } = parsed.data
  const rawScore = logitOfScore(whole, pack, named)
  const scored = parts.map(
    (part): ScoredPart => ({ name: cleanLine(part.name, MAX_PART_NAME), rawScore: logitOfScore(part, pack, named) }),
  )
  return {
    rawScore,
    notes: cleanLine(notes ?? `logit ${rawScore.toFixed(2)}`, MAX_TEXT),
    length,
    parts: highestParts(scored),
  }
}

function logitOfScore(
  given: { logit?: number | undefined; probability?: number | undefined },
  { manifest }: DetectorPackage,
  named: string,
): number {
  const { outputKind } = manifest
  const value = outputKind === 'class-logits' ? undefined : given[outputKind]
  const stated = [given.logit, given.probability].filter((one) => one !== undefined).length
  if (value === undefined || stated !== 1) {
    throw new AttestdError(
      'detector-failed',
      `${named} must return a ${outputKind}, as its manifest states, and nothing else.`,
    )
  }
  return outputAsLogit([value], manifest)
}

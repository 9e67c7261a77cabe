import { z } from 'zod'
import { riskSchema, storedRisk } from '../core/risk.js'
import { EVIDENCE_KINDS } from './contract/measurement.js'
import type { Detection } from './detection.js'

const FACTS = {
  detectorId: z.string(),
  detectorVersion: z.string(),
  detectorDigest: z.string(),
  rawScore: z.number(),
  length: z.number().optional(),
  unsure: z.boolean(),
  unsureBecause: z.enum(['band', 'flip']).nullable(),
  evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), text: z.string() })).readonly(),
  notes: z.string(),
  elapsedMs: z.object({ decode: z.number(), infer: z.number() }),
  platform: z.string(),
  expectedShare: z.number(),
}

const withParts = <R extends z.ZodType>(risk: R) => {
  const parts = z.array(z.object({ name: z.string(), risk })).readonly()
  return z.object({ ...FACTS, risk, parts, variants: parts })
}

/** A detection as the lab keeps it, and older verdict files do: risks from 0 to 1, without heat map and processor time. */
export const keptDetection = withParts(riskSchema) satisfies z.ZodType<Detection, unknown>

/**
 * A detection as verdict files hold it: risks as percentages, as in the ledger. It lies one level down, so that a
 * daemon of an older version takes none for a detection with risks from 0 to 1.
 */
export const storedDetection = z.object({ risks: z.literal('percent'), detection: withParts(storedRisk) })

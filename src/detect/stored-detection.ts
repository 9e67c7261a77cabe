import { z } from 'zod'
import { riskSchema } from '../core/risk.js'
import { EVIDENCE_KINDS } from './contract/measurement.js'
import type { Detection } from './detection.js'

const riskyPart = z.object({ name: z.string(), risk: riskSchema })

/** A detection as it is kept on disk: all of it but heat map and processor time. */
export const storedDetection = z.object({
  detectorId: z.string(),
  detectorVersion: z.string(),
  detectorDigest: z.string(),
  risk: riskSchema,
  rawScore: z.number(),
  length: z.number().optional(),
  unsure: z.boolean(),
  unsureBecause: z.enum(['band', 'flip']).nullable(),
  parts: z.array(riskyPart),
  variants: z.array(riskyPart),
  evidence: z.array(z.object({ kind: z.enum(EVIDENCE_KINDS), text: z.string() })),
  notes: z.string(),
  elapsedMs: z.object({ decode: z.number(), infer: z.number() }),
  platform: z.string(),
  expectedShare: z.number(),
}) satisfies z.ZodType<Detection, unknown>

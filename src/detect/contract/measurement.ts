import { z } from 'zod'
import { riskSchema } from '../../core/risk.js'

/** Longest text that is taken from a child; a child that runs hostile bytes is not trusted. */
export const MAX_TEXT = 2000
/** Most parts that are reported one by one; of more, those with the highest scores. */
export const MAX_REPORTED_PARTS = 32

/** Where a file may state its own origin. */
export const EVIDENCE_KINDS = ['c2pa', 'png-text', 'xmp', 'exif', 'container'] as const

const text = z.string().max(MAX_TEXT)
const name = z.string().max(200)
const milliseconds = z.number().min(0)

const scored = z.strictObject({ name, rawScore: z.number() })

/** How many pieces of the picture were scored by themselves, and their lowest and highest calibrated risk. */
export const heatMapSchema = z.strictObject({ pieces: z.int().min(1), lowest: riskSchema, highest: riskSchema })

/** Steps of the work on a picture, in their order. */
export const STAGES = ['decode', 'faces', 'crops', 'network', 'probe', 'evidence'] as const
/** A step whose processor time is counted by itself, in ms, where the detector reports it. */
export type Stage = (typeof STAGES)[number]

/** What a file states about its own origin, a fact in each line. */
export const evidenceSchema = z
  .array(z.strictObject({ kind: z.enum(EVIDENCE_KINDS), text: z.string().max(300) }))
  .max(16)

/** What a detector measured on one file, before calibration. */
export const measurementSchema = z.strictObject({
  /** Aggregated logit. */
  rawScore: z.number(),
  /** One line: what was seen. */
  notes: text,
  /** In the unit of a `by-length` calibration. */
  length: z.number().min(0).optional(),
  /** The parts with the highest scores, highest first. */
  parts: z.array(scored).max(MAX_REPORTED_PARTS),
  /** The same file re-encoded; empty where the package has no stability probe. */
  variants: z.array(scored).max(8),
  elapsedMs: z.strictObject({
    decode: milliseconds,
    infer: milliseconds,
    /** Processor time of the whole process by stage, where the detector reports it. */
    stages: z.partialRecord(z.enum(STAGES), milliseconds).optional(),
  }),
})

/** A fact that the file states about its own origin, in one line; never proof of being real. */
export type Evidence = z.infer<typeof evidenceSchema>[number]
/** The answer of a detector process for one file; `toDetection` calibrates it in the daemon. Times are ms. */
export type Measurement = z.infer<typeof measurementSchema>
/** A measurement, and what the file states about its own origin. */
export interface MeasuredFile extends Measurement {
  readonly evidence: readonly Evidence[]
}
/** Figures of a heat map that was written, risks from 0 to 1; the picture itself lies at the path asked for. */
export type HeatMap = z.infer<typeof heatMapSchema>
/** A part or a variant with its logit. */
export type ScoredPart = z.infer<typeof scored>

/** The parts with the highest scores, as many as are reported, highest first; of equal ones the earlier. */
export function highestParts(parts: readonly ScoredPart[]): ScoredPart[] {
  return parts
    .toSorted((a, b) => b.rawScore - a.rawScore)
    .slice(0, MAX_REPORTED_PARTS)
    .map(({ name, rawScore }) => ({ name, rawScore }))
}

/** How many parts there were, between which logits, and which was highest. */
export function describeParts(scored: readonly ScoredPart[]): string {
  const logits = scored.map(({ rawScore }) => rawScore)
  const range = `logit ${Math.min(...logits).toFixed(2)} to ${Math.max(...logits).toFixed(2)}`
  return scored.length === 1
    ? `1 part (${scored[0]?.name}), ${range}`
    : `${scored.length} parts, ${range}, highest ${highestParts(scored)[0]?.name}`
}

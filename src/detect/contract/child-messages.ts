import { z } from 'zod'
import type { AttestdError } from '../../core/errors.js'
import { MEDIA_TYPES } from '../../core/media-types.js'
import type { Reason } from '../../core/reasons.js'
import { manifestSchema } from '../package/manifest.js'
import { evidenceSchema, MAX_TEXT, measurementSchema } from './measurement.js'

const jobId = z.int().min(1)
const text = z.string().max(MAX_TEXT)
const rssBytes = z.number().min(0)

/** What a child may give as a reason. It runs hostile bytes, so it has no say in stake, clock or service matters. */
const CHILD_REASONS = [
  'manifest-invalid',
  'model-digest-mismatch',
  'media-too-large',
  'media-empty',
  'media-type-mismatch',
  'media-unsupported',
  'media-corrupt',
  'media-too-complex',
  'media-too-small',
  'media-too-short',
  'media-featureless',
  'media-is-code',
  'language-unsupported',
  'media-narrow-band',
  'media-without-speech',
  'detector-timeout',
  'detector-failed',
  'detector-out-of-memory',
  'detector-unreachable',
  'internal-error',
] as const satisfies readonly Reason[]

const reason = z.enum(CHILD_REASONS)
type ChildReason = (typeof CHILD_REASONS)[number]

/** Messages to a child: first `load`, then any number of `measure`, one at a time. */
export const toChildSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('load'),
    packages: z.array(z.strictObject({ folder: z.string(), digest: z.string(), manifest: manifestSchema })),
    tools: z.strictObject({
      maxPixels: z.int().min(1),
      timeoutSeconds: z.int().min(1).max(3600),
      ffmpeg: z.string().nullable(),
    }),
    /** Bearer token for model servers; null in a process that has no remote detector. */
    remoteToken: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal('measure'),
    jobId,
    detectorId: z.string(),
    file: z.string(),
    /** Where to write a heat map; absent where none is asked for. */
    heatMap: z.string().optional(),
    /** Where to write what a person may see of the file; absent where it is not asked for. */
    view: z.strictObject({ mediaType: z.enum(MEDIA_TYPES), out: z.string() }).optional(),
    /** Expected share at which a package that asks for it scores re-encodings too; null: none are scored. */
    probe: z.number().nullable(),
    /** Whether what the file states about itself is read too. */
    evidence: z.boolean(),
  }),
])

/**
 * Messages from a child: `hello` when it listens, `loaded` or `refused`, then for each job any number of `parsing`, and `failed`,
 * or `measured` and after it `evidence`: what reading the evidence does to the process cannot cost the measurement.
 */
export const fromChildSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello') }),
  z.strictObject({ type: z.literal('loaded') }),
  z.strictObject({ type: z.literal('refused'), reason, message: text }),
  /** Whether a parser of hostile bytes computes from here on. */
  z.strictObject({ type: z.literal('parsing'), jobId, isParsing: z.boolean() }),
  z.strictObject({ type: z.literal('measured'), jobId, rssBytes, measurement: measurementSchema }),
  z.strictObject({
    type: z.literal('evidence'),
    jobId,
    rssBytes,
    /** Null where it was not asked for, or could not be read within its limits. */
    evidence: evidenceSchema.nullable(),
    /** Processor time of the whole process while it was read. */
    processorMs: z.number().min(0),
  }),
  z.strictObject({ type: z.literal('failed'), jobId, rssBytes, reason, message: text }),
])

/** A checked message of the daemon, which a detector process reads from its IPC channel. */
export type ToChild = z.infer<typeof toChildSchema>
/** A checked message of a detector process, which decodes hostile bytes: one that fails the schema gets it killed. */
export type FromChild = z.infer<typeof fromChildSchema>

/** An error's reason and words, as far as a message may hold them. */
export function errorMessage(error: AttestdError): { reason: ChildReason; message: string } {
  const known = CHILD_REASONS.find((each) => each === error.reason)
  return { reason: known ?? 'internal-error', message: error.message.toWellFormed().slice(0, MAX_TEXT) }
}

import { z } from 'zod'
import type { AttestdError } from '../../core/errors.js'
import { MEDIA_TYPES } from '../../core/media-types.js'
import type { Reason } from '../../core/reasons.js'
import { manifestSchema } from '../package/manifest.js'
import { evidenceSchema, heatMapSchema, MAX_TEXT, measurementSchema } from './measurement.js'
import { tensorsSchema } from './network.js'

const jobId = z.int().min(1)
const text = z.string().max(MAX_TEXT)

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

/** What a question about one file contains. */
const question = { jobId, file: z.string() }
/** What an answer to one contains: resident memory after it, bytes. */
const answer = { jobId, rssBytes: z.number().min(0) }

/** Messages to a child: first `load`, then any number of questions, one at a time. */
export const toChildSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('load'),
    packages: z.array(z.strictObject({ folder: z.string(), digest: z.string(), manifest: manifestSchema })),
    tools: z.strictObject({
      timeoutSeconds: z.int().min(1).max(3600),
      ffmpeg: z.string().nullable(),
    }),
    /** Bearer token for model servers; null in a process that has no remote detector. */
    remoteToken: z.string().nullable(),
  }),
  z.strictObject({
    ...question,
    type: z.literal('measure'),
    detectorId: z.string(),
    /** Expected share at which a package that asks for it scores re-encodings too; null: none are scored. */
    probe: z.number().nullable(),
  }),
  z.strictObject({ ...question, type: z.literal('evidence') }),
  /** Opens weights of no package, to see what they take and give. */
  z.strictObject({ ...question, type: z.literal('open') }),
  z.strictObject({
    ...question,
    type: z.literal('show'),
    mediaType: z.enum(MEDIA_TYPES),
    /** Draws a heat map; null for what a person may see of the file. */
    detectorId: z.string().nullable(),
    out: z.string(),
    /** Longest side of what is seen of a picture, px. @default what a page has room for */
    side: z.int().min(1).optional(),
  }),
])

/**
 * Messages from a child: `hello` when it listens, `loaded` or `refused`, then for each question any number of `parsing` and one
 * answer: `failed`, or that of the question's kind.
 */
export const fromChildSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('hello') }),
  z.strictObject({ type: z.literal('loaded') }),
  z.strictObject({ type: z.literal('refused'), reason, message: text }),
  /** Whether a parser of hostile bytes computes from here on. */
  z.strictObject({ type: z.literal('parsing'), jobId, isParsing: z.boolean() }),
  z.strictObject({ ...answer, type: z.literal('measured'), measurement: measurementSchema }),
  z.strictObject({
    ...answer,
    type: z.literal('evidence'),
    /** Null where it could not be read within its limits. */
    evidence: evidenceSchema.nullable(),
    /** Processor time of the whole process while it was read. */
    processorMs: z.number().min(0),
  }),
  z.strictObject({ ...answer, type: z.literal('shown'), heatMap: heatMapSchema.nullable() }),
  z.strictObject({ ...answer, type: z.literal('opened'), tensors: tensorsSchema }),
  z.strictObject({ ...answer, type: z.literal('failed'), reason, message: text }),
])

/** A checked message of the daemon, which a detector process reads from its channel. */
export type ToChild = z.infer<typeof toChildSchema>
/** A message that asks something of one file. */
export type Question = Extract<ToChild, { jobId: number }>
/** A checked message of a detector process, which decodes hostile bytes: one that fails the schema gets it killed. */
export type FromChild = z.infer<typeof fromChildSchema>
/** The message that answers a question. */
export type Answer = Extract<FromChild, { rssBytes: number }>

/** An error's reason and words, as far as a message may hold them. */
export function errorMessage(error: AttestdError): { reason: ChildReason; message: string } {
  const known = CHILD_REASONS.find((each) => each === error.reason)
  return { reason: known ?? 'internal-error', message: error.message.toWellFormed().slice(0, MAX_TEXT) }
}

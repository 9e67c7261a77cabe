import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { MEDIA_TYPES, type MediaType } from '../core/media-types.js'
import { isReason, type Reason } from '../core/reasons.js'
import { storedRisk } from '../core/risk.js'
import { EVEN_ODDS } from '../detect/package/calibration-schema.js'
import { type AnalyzeQueue, analyzeQueue, type QueueEngine } from '../queue/queues.js'
import type { Asset } from '../service/port.js'
import { decision, review } from './review.js'

/** What a job keeps of an asset: enough to fetch, score, submit and log it, nothing secret. */
const jobAsset = z.object({
  id: z.string().min(1),
  title: z.string(),
  contentHash: z.string(),
  uri: z.string(),
  /** Null until the bytes were seen, where the service does not state. */
  mediaType: z.enum(MEDIA_TYPES).nullable(),
  turnaround: z.enum(['standard', 'priority_5min']),
  /** Unix ms, where the service states it. */
  closesAt: z.number().optional(),
})
/** An asset as it lies in a job; `uri` and `title` are a submitter's words, not to be trusted. */
export type JobAsset = z.infer<typeof jobAsset>
export type TypedAsset = JobAsset & { readonly mediaType: MediaType }

/** Which detector an analysis failed or was abstained by, as the queue keeps it. */
export const lookedAtBy = z.object({ mediaType: z.enum(MEDIA_TYPES), detectorDigest: z.string(), platform: z.string() })
/** Which detector an analysis failed or was abstained by; see `Detection` for digest and platform. */
export type LookedAtBy = z.infer<typeof lookedAtBy>

/** Service time (Unix ms) at which the service had no score of this attester; null where it did not state, and in older jobs. */
const unscoredAt = z.number().nullable().default(null)

const analyzeJob = z.object({
  asset: jobAsset,
  /** When intake first saw the asset open, local Unix ms. */
  seenAt: z.number(),
  /** The same moment in service time, where that was known. */
  seenServiceAt: z.number().optional(),
  unscoredAt,
  /** Set where a detector failed on the file for good, so that another one is given a try. */
  failedBy: lookedAtBy.optional(),
  failedBefore: z.array(lookedAtBy).optional(),
  /** Fetches that ended as `media-too-slow`. */
  slowFetches: z.number().int().nonnegative().optional().catch(undefined),
  /** Tries in which somebody else killed the process of that detector. */
  kills: z.object({ detectorDigest: z.string(), count: z.number().int().nonnegative() }).optional().catch(undefined),
})
/** Data of a job of the `analyze` queues, which intake adds. */
export type AnalyzeJob = z.infer<typeof analyzeJob>

/** A verdict as jobs and the ledger keep it, its risk as a percentage. */
export const verdict = z.object({
  /** Calibrated, in whole basis points. */
  risk: storedRisk,
  /** Detector id and version. */
  algorithm: z.string(),
  notes: z.string(),
  detectorDigest: z.string(),
  unsure: z.boolean(),
  /** Null also where a release did not keep it. */
  unsureBecause: z.enum(['band', 'flip']).nullable().default(null),
  /** What a replay compares, bit for bit; null where an older version did not keep it. */
  rawScore: z.number().nullable().default(null),
  platform: z.string().nullable().default(null),
  /** See `Detection`; older ones were made at even odds. */
  expectedShare: z.number().default(EVEN_ODDS),
})
/** What a submit job states to the service, with what is needed to measure it again. */
export type Verdict = z.infer<typeof verdict>

const submitJob = z.object({
  asset: jobAsset,
  seenAt: z.number(),
  unscoredAt,
  verdict,
  /** Set before the first byte of a submission leaves, cleared when it surely was not stored. */
  sent: z
    .object({
      tries: z.number().int(),
      /** Service time (ms) after which the service can no longer accept what was sent. */
      settledAt: z.number(),
    })
    .nullable(),
  /** Set where a person decides; until `decision` is set too, the job waits. */
  review: review.optional(),
  decision: decision.optional(),
})
/** Data of a job of the queue `submit`, decoded: its risk is a probability. `analyze` adds it, `submit` updates it. */
export type SubmitJob = z.infer<typeof submitJob>
/** As it lies in the queue. */
export type StoredSubmitJob = z.input<typeof submitJob>

const reason = z.string().refine((text): text is Reason => isReason(text))

/** How an analyze job ended, as the queue keeps it; the report reads it for metrics and ledger. */
export const analyzeResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('scored'), mediaType: z.enum(MEDIA_TYPES), verdict, cached: z.boolean() }),
  z.object({
    outcome: z.literal('abstained'),
    reason,
    message: z.string(),
    /** Absent where no other detector would do better, and in jobs of a release that did not keep it. */
    by: lookedAtBy.optional(),
  }),
  /** From the queue of unknown kinds to that of its own. */
  z.object({ outcome: z.literal('moved'), mediaType: z.enum(MEDIA_TYPES) }),
])
/** The decoded end of an analyze job; `cached` where the verdict came from the store and nothing was inferred. */
export type AnalyzeResult = z.infer<typeof analyzeResult>
/** As the queue keeps it. */
export type StoredAnalyzeResult = z.input<typeof analyzeResult>

/** How a submit job ended, as the queue keeps it; `endedClosed` and the report read it. */
export const submitResult = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.enum(['accepted', 'confirmed']),
    scoreId: z.string().nullable(),
    /** As the service has it on record. */
    risk: storedRisk,
    attester: z.string().nullable(),
  }),
  /** The service shows a score that this queue did not send. */
  z.object({
    outcome: z.literal('foreign'),
    /** As the service has it on record. */
    risk: storedRisk,
    /** The label of that score; null where the service does not show it. */
    algorithm: z.string().nullable(),
  }),
  /** `maybeStored`: a submission was under way, and the closed asset can no longer be asked about. */
  z.object({ outcome: z.literal('closed'), maybeStored: z.boolean() }),
  /** Nobody decided on an unsure verdict before its deadline. */
  z.object({ outcome: z.literal('abstained'), reason, message: z.string() }),
])
/** The decoded end of a submit job: what the receipt states, or that the asset was closed. */
export type SubmitResult = z.infer<typeof submitResult>
/** As the queue keeps it. */
export type StoredSubmitResult = z.input<typeof submitResult>

function parseJob<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'data').join(', ')
  throw new AttestdError('job-malformed', `The job's data is malformed at: ${where}.`)
}

/** Data from the queue, which an older release may have written. @throws AttestdError job-malformed */
export const parseAnalyzeJob = (data: unknown): AnalyzeJob => parseJob(analyzeJob, data)
/** Data from the queue; what older releases did not write is null. @throws AttestdError job-malformed */
export const parseSubmitJob = (data: unknown): SubmitJob => parseJob(submitJob, data)
/** The same; null where it is malformed. */
export const submitJobIn = (data: unknown): SubmitJob | null => submitJob.safeParse(data).data ?? null
/** The asset of either kind of job, also of one that has failed; null where the data is malformed. */
export const assetOfJob = (data: unknown): JobAsset | null => analyzeJob.safeParse(data).data?.asset ?? null
/** What an analysis failed by, the last first; empty where it is not marked. */
export function failuresOf(data: unknown): LookedAtBy[] {
  const job = analyzeJob.safeParse(data).data
  return job?.failedBy ? [job.failedBy, ...(job.failedBefore ?? [])] : []
}
/** The job as it is queued and saved, its risk as a percentage; `parseSubmitJob` takes it back. */
export const storeSubmitJob = (job: SubmitJob): StoredSubmitJob => z.encode(submitJob, job)
/** The end of an analyze job as the queue keeps it, its risk as a percentage. */
export const storeAnalyzeResult = (result: AnalyzeResult): StoredAnalyzeResult => z.encode(analyzeResult, result)
/** The end of a submit job as the queue keeps it, its risk as a percentage. */
export const storeSubmitResult = (result: SubmitResult): StoredSubmitResult => z.encode(submitResult, result)

/** Leaves out what may change while the job waits: score count, own score and the submitter's hint. */
export function jobAssetOf(asset: Asset): JobAsset {
  const { id, title, contentHash, uri, mediaType, turnaround, closesAt } = asset
  return { id, title, contentHash, uri, mediaType, turnaround, ...(closesAt !== undefined && { closesAt }) }
}

/** How long a `priority_5min` asset may take from first sight to a score on record, ms; the API names it in the turnaround. */
export const PRIORITY_MS = 5 * 60_000

/** Both turnarounds, in the order in which their jobs are taken. */
export const TURNAROUNDS = ['priority_5min', 'standard'] as const satisfies readonly JobAsset['turnaround'][]

/** Urgent assets overtake everything else; 1 goes first. */
export function priorityOf(turnaround: JobAsset['turnaround']): number {
  return turnaround === 'priority_5min' ? 1 : 10
}

/**
 * The queue that has, or is to have, the analysis of an asset.
 * @param mediaType as the service states it
 */
export async function queueOf(
  queue: Pick<QueueEngine, 'result'>,
  id: string,
  mediaType: MediaType | null,
): Promise<AnalyzeQueue> {
  const name = analyzeQueue(mediaType)
  if (mediaType !== null) return name
  const ended = analyzeResult.safeParse(await queue.result(name, id)).data
  return ended?.outcome === 'moved' ? analyzeQueue(ended.mediaType) : name
}

/**
 * Whether the submit job of this id ended because the asset seemed closed. Where the service offers the asset again (a
 * stray 404, or it reopened), what is kept of that job would keep the asset from ever being scored.
 */
export async function endedClosed(queue: Pick<QueueEngine, 'result'>, id: string): Promise<boolean> {
  const ended = submitResult.safeParse(await queue.result('submit', id))
  return ended.success && ended.data.outcome === 'closed'
}

/**
 * Whether the analysis of this id handed on a verdict and the queue has no submit job for it, as after a failover: what is
 * added to a primary that others have replaced is lost, whichever primary the analysis ended on. A drained queue looks alike.
 */
export async function lacksSubmission(
  queue: Pick<QueueEngine, 'find' | 'result'>,
  name: AnalyzeQueue,
  id: string,
): Promise<boolean> {
  // The analysis first: it adds the submission before it ends.
  const ended = analyzeResult.safeParse(await queue.result(name, id))
  return ended.success && ended.data.outcome === 'scored' && (await queue.find('submit', id)) === null
}

import { z } from 'zod'
import { isReason, type Reason } from '../core/reasons.js'
import { cleanText, readJson } from '../core/text.js'
import { STALLED_MESSAGE } from './engine-options.js'

const MAX_STACK = 4000

const jobFailure = z.object({
  reason: z.string().refine((text): text is Reason => isReason(text)),
  message: z.string(),
})
/** Why a try of a job failed. A job keeps it as JSON where BullMQ keeps one text. */
export type JobFailure = Readonly<z.infer<typeof jobFailure>>

/** Ends a run in BullMQ's way: the job is retried after `retryInMs`, or fails for good where that is null. */
export class RunFailed extends Error {
  readonly failure: JobFailure
  readonly retryInMs: number | null

  /** @param origin what the run threw */
  constructor(failure: JobFailure, retryInMs: number | null, origin: unknown) {
    super(JSON.stringify({ ...failure, message: cleanText(failure.message) }))
    // BullMQ knows by this name that there is no other try.
    if (retryInMs === null) this.name = 'UnrecoverableError'
    this.failure = failure
    this.retryInMs = retryInMs
    this.stack = keptStack(origin)
  }
}

/** The failure that a job keeps; text that is not ours is the message of an `internal-error`. */
export function readFailure(text: string | null | undefined): JobFailure {
  const written = cleanText(text ?? '', Number.MAX_SAFE_INTEGER)
  if (written === STALLED_MESSAGE) return { reason: 'job-stalled', message: written }
  return readJson(jobFailure, written) ?? { reason: 'internal-error', message: written }
}

/** The stack of an error nobody planned for; one of ours is known by its reason. Empty ones are not kept. */
function keptStack(origin: unknown): string {
  if (!(origin instanceof Error) || 'reason' in origin) return ''
  return cleanText(origin.stack ?? '', MAX_STACK)
}

/** The back-off type that jobs are added with: the delay that the thrown error carries. */
export const BACKOFF_BY_REASON = 'by-reason'
const FALLBACK_DELAY_MS = 5000

/** BullMQ's back-off strategy, ms: `judge` chose the delay; 5 s for an error that did not pass through it. */
export const reasonBackoff = (_attempts: number, _type?: string, error?: Error): number =>
  (error instanceof RunFailed ? error.retryInMs : null) ?? FALLBACK_DELAY_MS

import type { Random } from '../core/clock.js'
import { toAttestdError } from '../core/errors.js'
import type { Reason } from '../core/reasons.js'
import { type Backoff, backoffMs, honoredDelayMs } from '../core/retry.js'
import { cleanText } from '../core/text.js'

/** What becomes of a job whose run threw. Delays are whole milliseconds. */
export type RetryDecision = { readonly reason: Reason; readonly message: string } & (
  | { readonly kind: 'fail' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'hold'; readonly delayMs: number }
)

const SECOND = 1000

/** Pause before the second try, ms; it doubles from there to the longest that the settings allow. */
const DEFAULT_BASE_MS = 2 * SECOND
/** Where a reason asks for another beginning than the default, ms. */
const BASES_MS: Partial<Record<Reason, number>> = {
  'service-connection-lost': SECOND,
  'service-rate-limited': 5 * SECOND,
  'service-forbidden': 30 * SECOND,
  'service-unauthorized': 5 * SECOND,
  'media-unreachable': 5 * SECOND,
  'media-too-slow': 5 * SECOND,
  'media-integrity': 10 * SECOND,
  'detector-unavailable': SECOND,
  'stake-low': 15 * SECOND,
  'internal-error': 5 * SECOND,
}

/** A hold of nothing would turn a job that waits into a busy loop. */
const MIN_HOLD_MS = 50
const MAX_HOLD_MS = 7 * 24 * 3600 * SECOND

/** The priority of a job that has failed once: behind the new ones of its kind. @param priority of a new one */
export const retriedPriority = (priority: number) => priority + 1

/** What the pause of a job depends on, in addition to its failure. */
export interface Tries {
  /** Tries made, this one included. */
  readonly attempt: number
  /** Times the job was put back without an attempt; lengthens the pause of the next wait. */
  readonly waits: number
}

/**
 * Decides from what a run threw: passing trouble is retried however long it lasts (an asset that closes takes its
 * job away), waits cost no attempt, everything else is final.
 * @param maxMs longest pause, unless the other side asked for a longer one
 */
export function judge(error: unknown, { attempt, waits }: Tries, maxMs: number, random: Random): RetryDecision {
  const failure = toAttestdError(error)
  const { reason, kind } = failure
  const message = cleanText(failure.message)
  const backoff: Backoff = { baseMs: BASES_MS[reason] ?? DEFAULT_BASE_MS, maxMs }
  const pauseMs = (tries: number) =>
    Math.max(MIN_HOLD_MS, honoredDelayMs(failure.retryAfterMs, backoffMs(tries, backoff, random)))
  if (kind === 'retry') return { kind: 'retry', reason, message, delayMs: pauseMs(attempt) }
  // What the process lacks as configured is not the job's fault: it waits for a process that has it.
  if (kind === 'wait' || kind === 'setup') return { kind: 'hold', reason, message, delayMs: pauseMs(waits + 1) }
  return { kind: 'fail', reason, message }
}

/** A hold as asked for, in whole milliseconds (the embedded engine's PostgreSQL refuses fractions). */
export function holdDelayMs(delayMs: number): number {
  if (Number.isNaN(delayMs)) return MIN_HOLD_MS
  return Math.ceil(Math.min(MAX_HOLD_MS, Math.max(MIN_HOLD_MS, delayMs)))
}

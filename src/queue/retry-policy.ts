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
const MINUTE = 60 * SECOND

const DEFAULT_BACKOFF: Backoff = { baseMs: 2 * SECOND, maxMs: 2 * MINUTE }

/** Where a reason asks for another pace than the default. Assets may close after five minutes, so pauses stay short. */
const BACKOFFS: Partial<Record<Reason, Backoff>> = {
  'service-connection-lost': { baseMs: SECOND, maxMs: MINUTE },
  'service-unreachable': { baseMs: 2 * SECOND, maxMs: MINUTE },
  'service-failing': { baseMs: 2 * SECOND, maxMs: MINUTE },
  'service-rate-limited': { baseMs: 5 * SECOND, maxMs: 2 * MINUTE },
  'service-forbidden': { baseMs: 30 * SECOND, maxMs: 5 * MINUTE },
  'service-unauthorized': { baseMs: 5 * SECOND, maxMs: 5 * MINUTE },
  'media-unreachable': { baseMs: 5 * SECOND, maxMs: 3 * MINUTE },
  'media-integrity': { baseMs: 10 * SECOND, maxMs: 5 * MINUTE },
  'detector-unavailable': { baseMs: SECOND, maxMs: 30 * SECOND },
  'stake-low': { baseMs: 15 * SECOND, maxMs: MINUTE },
  'internal-error': { baseMs: 5 * SECOND, maxMs: 5 * MINUTE },
}

/** A hold of nothing would turn a job that waits into a busy loop. */
const MIN_HOLD_MS = 50
const MAX_HOLD_MS = 7 * 24 * 60 * MINUTE

/**
 * Decides from what a run threw: passing trouble is tried again, waits cost no attempt, everything else is final.
 * @param attempt tries made, this one included
 * @param waits times the job was put back without an attempt; lengthens the pause of the next wait
 */
export function judge(error: unknown, attempt: number, waits: number, random: Random): RetryDecision {
  const failure = toAttestdError(error)
  const { reason, kind } = failure
  const message = cleanText(failure.message)
  const backoff = BACKOFFS[reason] ?? DEFAULT_BACKOFF
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

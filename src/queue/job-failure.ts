import { UnrecoverableError } from 'bullmq'
import { isReason, type Reason } from '../core/reasons.js'
import { cleanText } from '../core/text.js'
import { STALLED_MESSAGE } from './engine-options.js'

const MAX_STACK = 4000

/** The failed reason as the job keeps it, readable for a person and for `readFailure`. */
function failureText(reason: Reason, message: string): string {
  return cleanText(`${reason}: ${message}`)
}

/** Reads a kept failed reason back; what is not of our writing is an `internal-error`. */
export function readFailure(text: string | null | undefined): { reason: Reason; message: string } {
  const written = cleanText(text ?? '')
  if (written === STALLED_MESSAGE) return { reason: 'job-stalled', message: written }
  const [, code = '', message = ''] = /^([a-z-]+): ([\s\S]*)$/.exec(written) ?? []
  return isReason(code) ? { reason: code, message } : { reason: 'internal-error', message: written }
}

/** Makes BullMQ try again after `delayMs`; see `reasonBackoff`. */
export class RetryLater extends Error {
  readonly delayMs: number

  constructor(reason: Reason, message: string, delayMs: number, origin: unknown) {
    super(failureText(reason, message))
    this.delayMs = delayMs
    this.stack = keptStack(origin)
  }
}

/** Makes BullMQ fail the job for good. */
export class FailedForGood extends UnrecoverableError {
  constructor(reason: Reason, message: string, origin: unknown) {
    super(failureText(reason, message))
    this.stack = keptStack(origin)
  }
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
export function reasonBackoff(_attempts: number, _type?: string, error?: Error): number {
  return error instanceof RetryLater ? error.delayMs : FALLBACK_DELAY_MS
}

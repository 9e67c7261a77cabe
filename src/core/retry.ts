import type { Random } from './clock.js'

/** Bounds of the growing delay between tries; `backoffMs` takes them. */
export interface Backoff {
  /** Delay before the second try, milliseconds. */
  readonly baseMs: number
  /** No delay is longer than this, milliseconds. */
  readonly maxMs: number
}

/**
 * Exponential back-off with half jitter: between 50 % and 100 % of `base * 2^(attempt-1)`, capped.
 * Whole milliseconds, because the embedded queue's PostgreSQL refuses fractions.
 * @param attempt tries made so far, 1 after the first failure
 */
export function backoffMs(attempt: number, { baseMs, maxMs }: Backoff, random: Random): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(full * (0.5 + 0.5 * random()))
}

/** Someone who asks for a longer pause than this is asked again anyway, milliseconds. */
const MAX_HONORED_MS = 10 * 60_000

/** The wait that the other side asked for, within [0, capMs], or the own back-off. @param capMs @default 10 minutes */
export const honoredDelayMs = (retryAfterMs: number | undefined, ownMs: number, capMs = MAX_HONORED_MS): number =>
  Math.round(Math.min(capMs, Math.max(retryAfterMs ?? 0, ownMs)))

/** Reads a Retry-After header (seconds, or an HTTP date) into milliseconds. @returns undefined where the header is absent or unreadable */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (!header) return undefined
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Math.round(Number(header) * 1000)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'

/** The same outage is logged at most this often, milliseconds. */
const OUTAGE_LOG_EVERY_MS = 60_000
/** Outages tracked at once; beyond it the oldest is forgotten and would be logged again. */
const MAX_OUTAGES = 200

/** The log that is written to, and the clock by which a minute passes. */
export interface ThrottledLogOptions {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
}

/** One report of trouble; reason and subject together say which outage it belongs to. */
export interface OutageLine {
  readonly reason: Reason
  /** Distinguishes outages of one reason, such as a gateway host. */
  readonly subject?: string
  /** @default 'warn' */
  readonly level?: 'warn' | 'error'
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Writes an outage that repeats as one line a minute. */
export interface ThrottledLog {
  /** Writes the line, or counts it where the same reason (and subject) was written less than a minute ago. */
  trouble(line: OutageLine): void
}

interface Outage {
  readonly lastLine: number
  /** Lines since the last written one. */
  suppressed: number
}

/** Remembers up to 200 outages; the next written line states as `suppressed` how many were left out. */
export function createThrottledLog({ log, clock }: ThrottledLogOptions): ThrottledLog {
  const outages = new Map<string, Outage>()
  return {
    trouble({ reason, subject, level = 'warn', message, facts = {} }) {
      const key = `${reason} ${subject ?? ''}`
      const now = clock.monotonic()
      const known = outages.get(key)
      if (known && now - known.lastLine < OUTAGE_LOG_EVERY_MS) {
        known.suppressed += 1
        return
      }
      const suppressed = known?.suppressed ?? 0
      outages.delete(key)
      outages.set(key, { lastLine: now, suppressed: 0 })
      const oldest = outages.keys().next().value
      if (outages.size > MAX_OUTAGES && oldest !== undefined) outages.delete(oldest)
      log[level]({ ...facts, reason, ...(subject ? { subject } : {}), ...(suppressed ? { suppressed } : {}) }, message)
    },
  }
}

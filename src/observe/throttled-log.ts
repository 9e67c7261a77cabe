import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'

/** Lines of the same outage are counted over this time, milliseconds. */
const MINUTE_MS = 60_000
/** Outages tracked at once; beyond it the oldest is forgotten and would be logged again. */
const MAX_OUTAGES = 200

/** The log that is written to, and the clock by which a minute passes. */
export interface ThrottledLogOptions {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
}

/** One report of trouble; reason and subject together state which outage it belongs to. */
export interface OutageLine {
  readonly reason: Reason
  /** Distinguishes outages of one reason, such as a gateway host. */
  readonly subject?: string
  /** Lines written a minute, for trouble that differs from line to line. @default 1 */
  readonly linesPerMinute?: number
  /** @default 'warn' */
  readonly level?: 'warn' | 'error'
  readonly message: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Writes an outage that repeats as one line a minute, or a stated few. */
export interface ThrottledLog {
  /** Writes the line, or counts it where the same reason (and subject) had its lines of this minute. */
  trouble(line: OutageLine): void
}

interface Outage {
  /** When the first line of its minute was written, monotonic milliseconds. */
  readonly since: number
  /** Lines of its minute. */
  written: number
  /** Lines since `since` that were not written. */
  suppressed: number
}

/** Remembers up to 200 outages; the next written line states as `suppressed` how many were left out. */
export function createThrottledLog({ log, clock }: ThrottledLogOptions): ThrottledLog {
  const outages = new LRUCache<string, Outage>({ max: MAX_OUTAGES })
  return {
    trouble({ reason, subject, linesPerMinute = 1, level = 'warn', message, facts = {} }) {
      const key = `${reason} ${subject ?? ''}`
      const now = clock.monotonic()
      const known = outages.get(key)
      const isSameMinute = known !== undefined && now - known.since < MINUTE_MS
      if (isSameMinute && known.written >= linesPerMinute) {
        known.suppressed += 1
        return
      }
      const suppressed = isSameMinute ? 0 : (known?.suppressed ?? 0)
      if (isSameMinute) known.written += 1
      else outages.set(key, { since: now, written: 1, suppressed: 0 })
      log[level]({ ...facts, reason, ...(subject ? { subject } : {}), ...(suppressed ? { suppressed } : {}) }, message)
    },
  }
}

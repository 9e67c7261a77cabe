import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'

/** The same outage is logged at most this often, milliseconds. */
export const OUTAGE_LOG_EVERY_MS = 60_000
/** Outages tracked at once; beyond it the oldest is forgotten and would be logged afresh. */
const MAX_OUTAGES = 200

export interface ThrottledLogOptions {
  readonly log: Log
  readonly clock: Pick<Clock, 'monotonic'>
  /** @default OUTAGE_LOG_EVERY_MS */
  readonly everyMs?: number
}

export interface OutageLine {
  readonly reason: Reason
  /** Tells outages of one reason apart, such as a gateway host. */
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
  /** Ends an outage: writes how often and how long it was there. Writes nothing where there was none. */
  over(reason: Reason, message: string, subject?: string): void
}

interface Outage {
  readonly since: number
  lastLine: number
  /** Lines since the last written one. */
  suppressed: number
  total: number
}

export function createThrottledLog({ log, clock, everyMs = OUTAGE_LOG_EVERY_MS }: ThrottledLogOptions): ThrottledLog {
  const outages = new Map<string, Outage>()
  const keyOf = (reason: Reason, subject = '') => `${reason} ${subject}`

  return {
    trouble({ reason, subject, level = 'warn', message, facts = {} }) {
      const key = keyOf(reason, subject)
      const now = clock.monotonic()
      const known = outages.get(key)
      if (known && now - known.lastLine < everyMs) {
        known.suppressed += 1
        known.total += 1
        return
      }
      const suppressed = known?.suppressed ?? 0
      outages.delete(key)
      outages.set(key, { since: known?.since ?? now, lastLine: now, suppressed: 0, total: (known?.total ?? 0) + 1 })
      const oldest = outages.keys().next().value
      if (outages.size > MAX_OUTAGES && oldest !== undefined) outages.delete(oldest)
      log[level]({ ...facts, reason, ...(subject ? { subject } : {}), ...(suppressed ? { suppressed } : {}) }, message)
    },
    over(reason, message, subject) {
      const key = keyOf(reason, subject)
      const outage = outages.get(key)
      if (!outage) return
      outages.delete(key)
      const lastedMs = Math.round(clock.monotonic() - outage.since)
      log.info({ reason, ...(subject ? { subject } : {}), times: outage.total, lastedMs }, message)
    },
  }
}

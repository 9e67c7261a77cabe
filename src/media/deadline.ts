import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'

export interface Deadline {
  /** Aborts with media-timeout when the time is up, or with the parent's reason. */
  readonly signal: AbortSignal
  /** Call when the work has ended. */
  clear(): void
}

/** A time limit on the injected clock. */
export function startDeadline(clock: Clock, ms: number, parent: AbortSignal): Deadline {
  const limit = new AbortController()
  const cleared = new AbortController()
  clock.sleep(ms, cleared.signal).then(
    () => limit.abort(new AttestdError('media-timeout', `The media did not arrive within ${ms} ms.`)),
    () => {},
  )
  return { signal: AbortSignal.any([parent, limit.signal]), clear: () => cleared.abort() }
}

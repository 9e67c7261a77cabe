import { duration } from './duration.js'

/** Time as it is passed in everywhere, so that tests move it by hand. */
export interface Clock {
  /** Local wall clock, Unix milliseconds. May be wrong; see `ServiceClock` for trusted time. */
  now(): number
  /** Milliseconds that never jump; the origin is arbitrary. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A time and whose it is, as a message ends: `by the Date header of the service`. */
export interface StatedTime {
  /** Unix milliseconds. */
  readonly ms: number
  readonly by: string
}

/** Node fires a longer timer at once, ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The real clock, for `app/` and child processes to pass down. A sleep of more than 24.8 days ends after 24.8. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort)
          resolve()
        },
        Math.min(ms, LONGEST_TIMER_MS),
      )
      signal?.addEventListener('abort', onAbort, { once: true })
    }),
}

/** A source of numbers in [0, 1), passed in so that jitter is repeatable in tests. */
export type Random = () => number

/** Below this, clocks are compared in milliseconds. */
const PRECISE_MS = 10_000

/** @param offsetMs service time minus local time, ms */
export function clockText(offsetMs: number): string {
  if (offsetMs === 0) return 'the local clock agrees with it'
  const apart = Math.abs(offsetMs)
  const span = apart < PRECISE_MS ? `${apart} ms` : duration(apart)
  return `the local clock is ${span} ${offsetMs < 0 ? 'ahead of' : 'behind'} it`
}

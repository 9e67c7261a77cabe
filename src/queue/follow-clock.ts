import { SharedReading } from '../core/shared-reading.js'
import { startRepeating } from '../core/time-limit.js'
import type { QueueEngineOptions } from './engine-options.js'

const LOOK_MS = 5000
/** From here on the wall clock counts as set back, ms. */
const SET_BACK_MS = 1000

/**
 * BullMQ keeps by the wall clock when a job is due: where that was set back, delayed jobs would wait for as long in addition.
 * While no process looked, it was set back for those whose last attempt is yet to come by it.
 * @param retryDelayed retries the delayed jobs that were last tried at this time or later, wall clock, Unix ms; returns how many
 * @returns ends it
 */
export function followClock(
  { clock, log }: Pick<QueueEngineOptions, 'clock' | 'log'>,
  retryDelayed: (triedFrom: number) => Promise<number>,
): () => void {
  /** Wall clock minus monotonic clock, ms; null before the first look. */
  let wallAheadMs: number | null = null
  const look = async () => {
    const aheadMs = clock.now() - clock.monotonic()
    const backMs = wallAheadMs === null ? null : Math.round(wallAheadMs - aheadMs)
    if (backMs === null || backMs >= SET_BACK_MS) {
      try {
        const jobs = await retryDelayed(backMs === null ? clock.now() + SET_BACK_MS : Number.NEGATIVE_INFINITY)
        if (backMs !== null || jobs > 0)
          log.info({ backMs, jobs }, 'wall clock was set back, delayed jobs were retried')
      } catch {
        // The engine reports its own trouble; the next look retries.
        return
      }
    }
    wallAheadMs = aheadMs
  }
  // To read all delayed jobs may take longer than until the next look.
  const looks = new SharedReading<void>()
  void looks.share(look)
  return startRepeating(clock, LOOK_MS, () => void looks.share(look))
}

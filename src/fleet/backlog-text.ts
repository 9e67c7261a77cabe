import { duration } from '../core/duration.js'
import type { Backlog, FleetDaemon, RetryingRow, Unserved } from './fleet-state.js'

/** The times to drain of queues in which new jobs wait, or that none waits. */
export function drainText(drainMs: Backlog['drainMs']): string {
  const times = Object.entries(drainMs).filter(([, ms]) => ms !== 0)
  return (
    times.map(([queue, ms]) => `${queue} ${ms === null ? 'not known' : duration(ms)}`).join(', ') || 'no new job waits'
  )
}

/** The jobs per second of each queue where they are known; empty where none is. */
export function ratesText({ jobsPerSecond }: Pick<FleetDaemon, 'jobsPerSecond'>): string {
  const known = Object.entries(jobsPerSecond).filter(([, rate]) => rate !== null)
  return known.map(([queue, rate]) => `${queue} ${rate!.toFixed(1)}`).join(', ')
}

/** The same sentence on the console and in `status --fleet`. */
export function retryingText({ jobs, nextTryInMs, queue, reason }: RetryingRow): string {
  if (reason === 'review-waiting') return `Waiting for a person at /review: ${jobs}.`
  const why = reason === null ? 'held' : `failed with ${reason}`
  return `Waiting for a retry in ${queue}: ${jobs}, ${why}; the next in ${duration(nextTryInMs)}.`
}

/** The same sentence on the console, in `status --fleet` and in `/readyz`. */
export function unservedText({ queue, waiting }: Unserved): string {
  const kind = /^analyze-(.+)$/.exec(queue)?.[1]
  if (!kind) return `Jobs waiting in the queue ${queue}: ${waiting}; no daemon on this queue has the role ${queue}.`
  const what = kind === 'unknown' ? ['of unknown kind', 'a detector'] : [`of kind ${kind}`, `a detector for ${kind}`]
  const waits = waiting === 1 ? `asset ${what[0]} waits` : `assets ${what[0]} wait`
  return `${waiting} ${waits}, and no daemon on this queue has ${what[1]} and a disk that accepts writes.`
}

/** The same sentence on the console and in `status --fleet`. */
export const missesText = (missesAhead: number): string =>
  `${missesAhead} ${missesAhead === 1 ? 'asset' : 'assets'} will miss the deadline at this rate.`

import { z } from 'zod'
import { daemonCard } from './daemon-card.js'

const fleetDaemon = daemonCard.omit({ stopping: true }).extend({
  /** `lost`: not heard of for some seconds, and it did not state that it would stop. */
  state: z.enum(['alive', 'stopping', 'lost']),
  /** How long ago it was last heard of, ms. */
  lastSeenMs: z.number(),
})
/** One daemon as any daemon of its queue knows it. */
export type FleetDaemon = z.infer<typeof fleetDaemon>

const waitingRow = z.object({
  queue: z.string(),
  turnaround: z.string(),
  waiting: z.number(),
  /** How long the first of them has waited, ms; null where none waits. */
  oldestMs: z.number().nullable(),
})
const unserved = z.object({ queue: z.string(), waiting: z.number() })
const retryingRow = z.object({
  queue: z.string(),
  /** How the last try failed; null for jobs that were only held. */
  reason: z.string().nullable(),
  jobs: z.number(),
  /** About how long until the first of them is tried, ms. */
  nextTryInMs: z.number(),
})
/** A queue in which jobs wait that nobody takes. */
export type Unserved = z.infer<typeof unserved>
/** Jobs of one queue that wait for their next try. */
export type RetryingRow = z.infer<typeof retryingRow>

const backlog = z.object({
  /** What waits, by queue and turnaround. */
  rows: z.array(waitingRow),
  /** By queue: time until all that waits now is done, ms, as fast as the last jobs were; null where that is not known. */
  drainMs: z.record(z.string(), z.number().nullable()),
  /** Queues of kinds of media for which no daemon that is alive has a detector. */
  unserved: z.array(unserved),
  retrying: z.array(retryingRow),
  /** Urgent assets that will be analyzed later than five minutes after they came, at this rate. */
  missesAhead: z.number(),
})
/** The work ahead of the fleet. */
export type Backlog = z.infer<typeof backlog>

/** All daemons on the queue and the work ahead of them, as `/status` states it; a daemon of another release may answer. */
export const fleetState = z.object({
  daemons: z.array(fleetDaemon),
  /** What differs between daemons that are alive; empty where nothing does. */
  mixed: z.object({
    versions: z.array(z.string()),
    detectors: z.array(z.string()),
    /** Daemons with the fingerprints of their fleet secrets. */
    fingerprints: z.array(z.string()),
  }),
  backlog,
})
export type FleetState = z.infer<typeof fleetState>

import type { Backlog, FleetDaemon } from '../../observe/console/fleet-state.js'
import { PRIORITY_MS, priorityOf, TURNAROUNDS } from '../../pipeline/jobs.js'
import { pausedQueues } from '../../queue/paused-queues.js'
import { QUEUE_NAMES, type QueueEngine, type QueueName } from '../../queue/queues.js'
import type { WaitingJobs } from '../../queue/waiting-jobs.js'

/** Waiting jobs of a turnaround that are looked at one by one; those behind them are judged like the last of these. */
const LOOKED_AT = 300
const PRIORITIES = TURNAROUNDS.map(priorityOf)

/** The work that waits, and how long the daemons that are alive will take for it. @param now Unix ms */
export async function readBacklog(
  queue: Pick<QueueEngine, 'waiting' | 'isPaused'>,
  daemons: readonly FleetDaemon[],
  now: number,
): Promise<Backlog> {
  const lines = await Promise.all(QUEUE_NAMES.map((name) => queue.waiting(name, PRIORITIES, LOOKED_AT)))
  const rows = QUEUE_NAMES.flatMap((name, at) => lines[at]!.map((line, nth) => rowOf(name, line, nth, now)))
  const paused = await pausedQueues(queue)
  const capacity = (name: QueueName) => (paused.includes(name) ? 0 : capacityOf(daemons, name))
  const drain = (name: QueueName) => drainMs(lines[QUEUE_NAMES.indexOf(name)]!, capacity(name))
  const urgent = lines[QUEUE_NAMES.indexOf('analyze')]![0]!
  return {
    rows,
    drainMs: { analyze: drain('analyze'), submit: drain('submit') },
    missesAhead: missesAhead(urgent, capacity('analyze'), now),
  }
}

function rowOf(queue: QueueName, { addedAt, waiting }: WaitingJobs, nth: number, now: number): Backlog['rows'][number] {
  const oldestMs = addedAt[0] === undefined ? null : Math.max(0, now - addedAt[0])
  return { queue, turnaround: TURNAROUNDS[nth]!, waiting, oldestMs }
}

/**
 * Jobs a second of all daemons that do this work.
 * @returns 0 where none does it; null where some do and none has ended a job yet
 */
export function capacityOf(daemons: readonly FleetDaemon[], queue: QueueName): number | null {
  const workers = daemons.filter(({ roles, state }) => state === 'alive' && roles.includes(queue))
  if (workers.length === 0) return 0
  const known = workers.flatMap(({ capacity }) => (capacity[queue] === null ? [] : [capacity[queue]]))
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

function drainMs(lines: readonly WaitingJobs[], perSecond: number | null): number | null {
  const waiting = lines.reduce((sum, line) => sum + line.waiting, 0)
  if (waiting === 0) return 0
  return perSecond ? Math.round((waiting / perSecond) * 1000) : null
}

/** Of urgent jobs in their order; where no rate is known, only those that are too late already. */
function missesAhead({ addedAt, waiting }: WaitingJobs, perSecond: number | null, now: number): number {
  const doneInMs = (nth: number) => {
    if (perSecond === null) return 0
    return perSecond === 0 ? Number.POSITIVE_INFINITY : ((nth + 1) / perSecond) * 1000
  }
  const last = addedAt.at(-1)
  if (last === undefined) return 0
  const isLate = (nth: number) => now + doneInMs(nth) - (addedAt[nth] ?? last) > PRIORITY_MS
  return Array.from({ length: waiting }, (_, nth) => nth).filter(isLate).length
}

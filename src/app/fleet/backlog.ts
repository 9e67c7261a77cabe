import type { Backlog, FleetDaemon } from '../../fleet/fleet-state.js'
import { workersOf } from '../../fleet/known-daemons.js'
import { assetOfJob, PRIORITY_MS, priorityOf, TURNAROUNDS } from '../../pipeline/jobs.js'
import { inReview } from '../../pipeline/review-desk.js'
import { pausedQueues } from '../../queue/paused-queues.js'
import { QUEUE_NAMES, type QueueEngine, type QueueName, type RetryingJob } from '../../queue/queues.js'
import { retriedPriority } from '../../queue/retry-policy.js'
import type { WaitingJobs } from '../../queue/waiting-jobs.js'

/** Urgent jobs that are looked at one by one; those behind them are judged like the last of these. */
const LOOKED_AT = 300
/** Of the jobs of a queue that wait for a retry, so many are read; the others are taken to be like them. */
const READ_RETRIES = 20
/** Of each turnaround that of new jobs and that of jobs that failed once. Of jobs that are not urgent the oldest is stated. */
const LINES = TURNAROUNDS.flatMap((turnaround) => {
  const [limit, priority] = [turnaround === 'priority_5min' ? LOOKED_AT : 1, priorityOf(turnaround)]
  return [priority, retriedPriority(priority)].map((each) => ({ priority: each, limit }))
})
const NOTHING = LINES.map(() => ({ waiting: 0, addedAt: [] }))

/** What waits in one queue, and how fast it is worked on. */
interface Line {
  readonly name: QueueName
  readonly lines: readonly WaitingJobs[]
  /** Jobs a second, if the daemons did nothing else; null where that is not known. */
  readonly perSecond: number | null
  readonly workers: readonly FleetDaemon[]
  readonly retrying: readonly RetryingJob[]
  /** Jobs that wait for a retry, for each of those that were read; 1 where all were. */
  readonly perRead: number
  /** Jobs that no daemon takes. */
  readonly unserved: number
}

/** The work that waits, and how long the daemons that are alive will take for it. @param now Unix ms */
export async function readBacklog(
  queue: Pick<QueueEngine, 'counts' | 'waiting' | 'retrying' | 'isPaused'>,
  daemons: readonly FleetDaemon[],
  now: number,
): Promise<Backlog> {
  const paused = await pausedQueues(queue)
  const read = async (name: QueueName): Promise<Line> => {
    const counts = await queue.counts(name)
    const retrying = counts.delayed > 0 ? await queue.retrying(name, READ_RETRIES) : []
    const workers = workersOf(daemons, name)
    return {
      name,
      lines: byTurnaround(counts.waiting > 0 ? await queue.waiting(name, LINES) : NOTHING),
      perSecond: paused.includes(name) ? 0 : capacityOf(daemons, name),
      workers,
      retrying,
      perRead: retrying.length < READ_RETRIES ? 1 : Math.max(1, counts.delayed / retrying.length),
      // With those that wait for another try: without a worker nobody moves them forward.
      unserved: workers.length === 0 ? counts.waiting + counts.delayed : 0,
    }
  }
  const all = await Promise.all(QUEUE_NAMES.map(read))
  const analysis = all.filter(({ name }) => name !== 'submit')
  return {
    rows: all.flatMap(({ lines, name }) => lines.map((line, nth) => rowOf(name, line, nth, now))),
    drainMs: Object.fromEntries(all.map((one) => [one.name, drainMs(one, all)])),
    retrying: all.flatMap((one) => retryingRows(one, now)),
    missesAhead: analysis.reduce(
      (sum, one) => sum + missesAhead(one.lines[0]!, one.perSecond, now) + lateRetries(one, now),
      0,
    ),
    unserved: analysis.flatMap(({ name, unserved }) => (unserved > 0 ? [{ queue: name, waiting: unserved }] : [])),
  }
}

/** New jobs of a turnaround and those that failed once, in one line. */
function byTurnaround(lines: readonly WaitingJobs[]): WaitingJobs[] {
  return TURNAROUNDS.map((_, nth) => {
    const [fresh, retried] = [lines[2 * nth]!, lines[2 * nth + 1]!]
    return { ...fresh, waiting: fresh.waiting + retried.waiting, addedAt: [...fresh.addedAt, ...retried.addedAt] }
  })
}

/** Jobs that wait for their next try, by how the last one failed. */
function retryingRows({ name, perRead, retrying }: Line, now: number): Backlog['retrying'] {
  const reasonOf = ({ data, failure, id }: RetryingJob) =>
    inReview(id, data) ? 'review-waiting' : (failure?.reason ?? null)
  const reasons = new Set(retrying.map(reasonOf))
  return [...reasons].map((reason) => {
    const jobs = retrying.filter((job) => reasonOf(job) === reason)
    const next = Math.min(...jobs.map(({ nextTryAt }) => nextTryAt))
    return { queue: name, reason, jobs: Math.round(jobs.length * perRead), nextTryInMs: Math.max(0, next - now) }
  })
}

/** Urgent jobs whose next try comes too late, or never: where nobody works, none is made. */
function lateRetries({ perRead, perSecond, retrying }: Line, now: number): number {
  const late = retrying.filter(
    ({ addedAt, nextTryAt }) => perSecond === 0 || Math.max(now, nextTryAt) - addedAt > PRIORITY_MS,
  )
  const urgent = late.filter(({ data }) => assetOfJob(data)?.turnaround === 'priority_5min')
  return Math.round(urgent.length * perRead)
}

function rowOf(queue: QueueName, { addedAt, waiting }: WaitingJobs, nth: number, now: number): Backlog['rows'][number] {
  const oldestMs = addedAt[0] === undefined ? null : Math.max(0, now - addedAt[0])
  return { queue, turnaround: TURNAROUNDS[nth]!, waiting, oldestMs }
}

/** Jobs a second of all daemons that do this work; 0 where none does it, null where none has ended a job yet. */
function capacityOf(daemons: readonly FleetDaemon[], queue: QueueName): number | null {
  const workers = workersOf(daemons, queue)
  if (workers.length === 0) return 0
  const rates = workers.map(({ capacity, kinds }) => (queue === 'submit' ? capacity.submit : (kinds[queue] ?? null)))
  const known = rates.filter((rate) => rate !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

/** With what else waits for the same daemons: they share their time among the kinds. */
function drainMs(line: Line, all: readonly Line[]): number | null {
  const own = aloneMs(line)
  if (own === 0 || own === null) return own
  const shares = all.filter(
    ({ name, workers }) => name !== 'submit' && workers.some((one) => line.workers.includes(one)),
  )
  const others = line.name === 'submit' ? [] : shares.filter((one) => one !== line)
  return others.reduce((sum, one) => sum + (aloneMs(one) ?? 0), own)
}

function aloneMs({ lines, perSecond }: Line): number | null {
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

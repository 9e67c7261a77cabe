import type { Job, JobsOptions, JobType } from 'bullmq'
import { AttestdError, isAbort, toAttestdError } from '../core/errors.js'
import { SharedReading } from '../core/shared-reading.js'
import { withinLimit } from '../core/time-limit.js'
import type { FleetStore } from '../fleet/fleet-store.js'
import { sealedFleet, sealedTexts } from '../fleet/sealed-texts.js'
import { createThrottledLog, type ThrottledLog } from '../observe/throttled-log.js'
import { Admission } from './admission.js'
import type { Backing, BullQueue } from './backing.js'
import { Queue } from './bullmq.js'
import type { Claims, SharedTexts } from './claims.js'
import { cleanJson } from './clean-json.js'
import { askEngine, engineError } from './engine-error.js'
import {
  DEFAULT_ASIDE,
  DEFAULT_RETENTION,
  MAX_EVENTS,
  type QueueEngineOptions,
  type Retention,
} from './engine-options.js'
import { followClock } from './follow-clock.js'
import { BACKOFF_BY_REASON, readFailure } from './job-failure.js'
import { JobWorker } from './job-worker.js'
import { pausedQueues } from './paused-queues.js'
import {
  type AddOptions,
  type FailedJob,
  type KnownJob,
  type Processor,
  QUEUE_NAMES,
  type QueueCounts,
  type QueueEngine,
  type QueueName,
  queueWords,
  type RetryingJob,
  type RunningWorker,
  stageOf,
  type WorkerEvents,
} from './queues.js'
import { type WaitingJobs, type WaitingLine, waitingJobs } from './waiting-jobs.js'

/** BullMQ's highest priority number, which goes last. */
const LAST_PRIORITY = 2 ** 21 - 1
/** Jobs read at a time. */
const PAGE = 100
/** Of reading for which nothing waits, so that the work of the queue goes on between two pages. */
const SMALL_PAGE = 8
const PING_MS = 3000
/** So long a reading of whether the embedded queue is paused holds, ms: this process alone pauses it, which ends the reading. */
const PAUSED_KEPT_MS = 10_000
/**
 * Jobs of the embedded queue at whose end the kept ones are counted: PostgreSQL sorts all of them for that. A prime, so that
 * each queue is counted where jobs of several take turns.
 */
const COUNT_EVERY = 101
/** Among the completed jobs of a queue of the embedded engine, those past their age are looked for this often at most, ms. */
const SWEEP_EVERY_MS = 60_000
const KEPT_STACKS = 3
const WAITING_STATES = ['prioritized', 'waiting', 'delayed'] as const

export class BullEngine implements QueueEngine {
  readonly kind: Backing['kind']
  readonly lost: Promise<Error>
  readonly fleet: FleetStore
  readonly claims: Claims
  readonly texts: SharedTexts | null
  readonly #backing: Backing
  readonly #options: QueueEngineOptions
  readonly #outages: ThrottledLog
  readonly #queues: Readonly<Record<QueueName, BullQueue>>
  /** By stage: the workers of all kinds of media share what this process can do at the same time. */
  readonly #admissions: Readonly<Record<'analyze' | 'submit', Admission>>
  readonly #paused: Readonly<Record<QueueName, SharedReading<boolean>>>
  /** The checks of readiness ask at the same time. */
  readonly #pings = new SharedReading<void>()
  readonly #workers = new Set<JobWorker>()
  #endClockLooks: (() => void) | undefined
  /** Jobs added, for `COUNT_EVERY`. */
  #added = 0
  /** When a job was last added whose end looks for completed ones past their age, monotonic ms. */
  readonly #sweptAt = new Map<QueueName, number>()
  #closing: Promise<void> | undefined

  constructor(backing: Backing, options: QueueEngineOptions) {
    this.kind = backing.kind
    this.lost = backing.lost
    const { onForged = () => {}, seal } = options
    const { claims, fleet, texts } = backing
    this.fleet = seal ? sealedFleet(fleet, seal, onForged) : fleet
    this.claims = claims
    this.texts = texts && seal ? sealedTexts(texts, seal, onForged) : texts
    this.#backing = backing
    this.#options = options
    this.#outages = createThrottledLog(options)
    backing.onTrouble((error) => this.#report(null, error))
    const queues = QUEUE_NAMES.map((name) => [name, this.#makeQueue(name)])
    this.#queues = Object.fromEntries(queues) as Record<QueueName, BullQueue>
    const paused = QUEUE_NAMES.map((name) => [name, this.#readingOfPaused(name)])
    this.#paused = Object.fromEntries(paused) as Record<QueueName, SharedReading<boolean>>
    const { analyze, submit } = options.concurrency
    const { aside = DEFAULT_ASIDE } = options
    this.#admissions = { analyze: new Admission(analyze, aside), submit: new Admission(submit, aside) }
  }

  /** Waits until all queues can be used, and warns about those that someone has paused. */
  async ready(): Promise<void> {
    await Promise.all(QUEUE_NAMES.map((name) => askEngine(() => this.#queues[name].waitUntilReady())))
    for (const queue of queueWords(await pausedQueues(this))) {
      this.#options.log.warn({ queue, reason: 'queue-paused' }, 'queue was found paused')
    }
  }

  async add(name: QueueName, id: string, data: unknown, { priority }: AddOptions): Promise<{ added: boolean }> {
    const sealed = this.#storable(name, id, data)
    const options = {
      ...this.#jobOptions(name),
      jobId: id,
      priority: Math.min(LAST_PRIORITY, Math.max(1, Math.round(priority))),
    }
    const added = await askEngine(() => this.#backing.add(this.#queues[name], sealed, options))
    // The job that is kept has the options of its own add, so the next one looks.
    if (!added) this.#sweptAt.delete(name)
    return { added }
  }

  async work<Data, Result>(
    queue: QueueName,
    processor: Processor<Data, Result>,
    events: WorkerEvents,
  ): Promise<RunningWorker> {
    const worker = await JobWorker.start({
      ...this.#options,
      processor: processor as Processor<unknown, unknown>,
      events,
      backing: this.#backing,
      queue,
      admission: this.#admissions[stageOf(queue)],
      isUrgent: () => this.#hasFirst(queue),
      report: (error) => this.#report(queue, error),
    })
    this.#workers.add(worker)
    this.#endClockLooks ??= followClock(this.#options, (triedFrom) => this.#retryDelayed(triedFrom))
    return worker
  }

  async *pending(name: QueueName): AsyncGenerator<{ id: string; data: unknown; addedAt: number }> {
    for await (const { id, job } of this.#jobsIn(name, WAITING_STATES)) {
      yield { id, data: job.data, addedAt: job.timestamp }
    }
  }

  async *completed(name: QueueName): AsyncGenerator<{ id: string; data: unknown; result: unknown }> {
    for await (const { id, job } of this.#jobsIn(name, ['completed'], SMALL_PAGE)) {
      yield { id, data: job.data, result: job.returnvalue }
    }
  }

  async *#jobsIn(
    name: QueueName,
    states: readonly JobType[],
    pageSize = PAGE,
  ): AsyncGenerator<{ id: string; job: Job }> {
    const queue = this.#queues[name]
    // All ids first: pages by offset would skip jobs when the reader removes some on the way.
    const ids = await askEngine(() => queue.getRanges([...states], 0, -1, true))
    for (const page of pages(ids, pageSize)) {
      const jobs = await askEngine(() => Promise.all(page.map((id) => queue.getJob(id))))
      for (const job of jobs) if (job?.id) yield { id: job.id, job }
    }
  }

  async replace(name: QueueName, id: string, before: unknown, data: unknown): Promise<boolean> {
    const { prefix } = this.#options
    const swap = [JSON.stringify(before), JSON.stringify(this.#storable(name, id, data))] as const
    if (!(await askEngine(() => this.#backing.swapData({ queue: name, prefix, id }, ...swap)))) return false
    try {
      const job = await this.#queues[name].getJob(id)
      if (job) await this.#promote(job)
    } catch (error) {
      // It has the new data, and is taken when its wait ends.
      this.#report(name, engineError(error))
    }
    return true
  }

  async remove(name: QueueName, id: string, state: 'waiting' | 'completed'): Promise<boolean> {
    const queue = this.#queues[name]
    const found: string = await askEngine(() => queue.getJobState(id))
    const wanted: readonly string[] = state === 'waiting' ? WAITING_STATES : [state]
    if (!wanted.includes(found)) return false
    // BullMQ refuses to remove a job that became active meanwhile.
    return (await askEngine(() => queue.remove(id))) > 0
  }

  async find(name: QueueName, id: string): Promise<KnownJob | null> {
    const job = await askEngine(() => this.#queues[name].getJob(id))
    if (!job) return null
    const state: string = await askEngine(() => job.getState())
    if (state === 'unknown') return null
    const { seal } = this.#options
    return {
      ...(seal && !seal.isOurs(`job ${name}`, id, job.data) && { forged: true as const }),
      state: state === 'active' || state === 'completed' || state === 'failed' ? state : 'waiting',
      data: job.data,
      attempts: job.attemptsMade,
      failure: job.failedReason ? readFailure(job.failedReason) : null,
    }
  }

  async result(name: QueueName, id: string): Promise<unknown> {
    const queue = this.#queues[name]
    // The state first: a job read before it completed has no return value yet.
    if ((await askEngine(() => queue.getJobState(id))) !== 'completed') return undefined
    return (await askEngine(() => queue.getJob(id)))?.returnvalue
  }

  async counts(name: QueueName): Promise<QueueCounts> {
    const n = await askEngine(() => this.#queues[name].getJobCounts())
    return {
      waiting: (n.waiting ?? 0) + (n.prioritized ?? 0) + (n.paused ?? 0),
      active: n.active ?? 0,
      delayed: n.delayed ?? 0,
      failed: n.failed ?? 0,
      completed: n.completed ?? 0,
    }
  }

  waiting(name: QueueName, lines: readonly WaitingLine[]): Promise<WaitingJobs[]> {
    return askEngine(() => waitingJobs(this.#queues[name], lines))
  }

  async failed(name: QueueName, limit: number): Promise<FailedJob[]> {
    if (limit < 1) return []
    const jobs = await askEngine(() => this.#queues[name].getFailed(0, Math.floor(limit) - 1))
    return jobs.map((job) => ({
      queue: name,
      id: job.id ?? '',
      ...readFailure(job.failedReason),
      attempts: job.attemptsMade,
      failedAt: job.finishedOn ?? job.timestamp,
      data: job.data,
    }))
  }

  async retrying(name: QueueName, limit: number): Promise<RetryingJob[]> {
    const jobs = await askEngine(() => this.#queues[name].getDelayed(0, limit - 1))
    return jobs.map((job) => ({
      queue: name,
      id: job.id ?? '',
      failure: job.failedReason ? readFailure(job.failedReason) : null,
      attempts: job.attemptsMade,
      addedAt: job.timestamp,
      // BullMQ keeps the pause and the start of the last try, not the point in time.
      nextTryAt: (job.processedOn ?? job.timestamp) + job.delay,
      data: job.data,
    }))
  }

  async retry(name: QueueName, ids?: readonly string[]): Promise<number> {
    const queue = this.#queues[name]
    const chosen = ids ?? (await askEngine(() => queue.getRanges(['failed'], 0, -1, true)))
    let moved = 0
    for (const page of pages(chosen, PAGE)) {
      const jobs = await askEngine(() => Promise.all(page.map((id) => queue.getJob(id))))
      for (const job of jobs) if (job && (await this.#retryOne(job))) moved++
    }
    return moved
  }

  async drain(name: QueueName): Promise<number> {
    const before = await this.counts(name)
    await askEngine(() => this.#queues[name].drain(true))
    return before.waiting + before.delayed
  }

  async pause(name: QueueName): Promise<void> {
    await askEngine(() => this.#queues[name].pause())
  }

  async resume(name: QueueName): Promise<void> {
    await askEngine(() => this.#queues[name].resume())
  }

  isPaused(name: QueueName): Promise<boolean> {
    return this.#paused[name].share(() => askEngine(() => this.#queues[name].isPaused()))
  }

  async ping(signal?: AbortSignal): Promise<void> {
    const late = () => {
      throw new AttestdError('queue-unreachable', `The queue engine did not answer within ${PING_MS} ms.`)
    }
    try {
      const ping = () => withinLimit(this.#options.clock, PING_MS, this.#backing.ping(), late)
      await this.#pings.share(ping, signal)
    } catch (error) {
      throw isAbort(error) ? error : toAttestdError(error, 'queue-unreachable')
    }
  }

  boardQueues(): readonly unknown[] {
    return QUEUE_NAMES.map((name) => this.#queues[name])
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    this.#endClockLooks?.()
    await Promise.all([...this.#workers].map((worker) => worker.stop(0)))
    await Promise.allSettled(QUEUE_NAMES.map((name) => this.#queues[name].close()))
    await this.#backing.close()
  }

  async #retryDelayed(triedFrom: number): Promise<number> {
    let retried = 0
    for (const name of QUEUE_NAMES) {
      for await (const { job } of this.#jobsIn(name, ['delayed'])) {
        if ((job.processedOn ?? job.timestamp) < triedFrom) continue
        await this.#promote(job)
        retried++
      }
    }
    return retried
  }

  /** One that is no longer delayed was taken meanwhile. */
  async #promote(job: Job): Promise<void> {
    if (await askEngine(() => job.isDelayed())) await askEngine(() => job.promote())
  }

  /** What is kept of the data of a job: plain, small enough, and with the code of the fleet. */
  #storable(name: QueueName, id: string, data: unknown): unknown {
    const clean = cleanJson(data)
    const { seal } = this.#options
    return seal ? seal.sealed(`job ${name}`, id, clean) : clean
  }

  async #hasFirst(name: QueueName): Promise<boolean> {
    const counts = await askEngine(() => this.#queues[name].getCountsPerPriority([1]))
    return (counts[1] ?? 0) > 0
  }

  /** Only a job that is still failed goes back, with all its attempts. */
  async #retryOne(job: Job): Promise<boolean> {
    if ((await askEngine(() => job.getState())) !== 'failed') return false
    await askEngine(() => job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true }))
    return true
  }

  #makeQueue(name: QueueName): BullQueue {
    const queue: BullQueue = new Queue(
      name,
      {
        connection: this.#backing.producer,
        prefix: this.#options.prefix,
        streams: { events: { maxLen: MAX_EVENTS } },
      },
      this.#backing.factory,
    )
    queue.on('error', (error: Error) => this.#report(name, engineError(error)))
    return queue
  }

  /** Whoever pauses or resumes in this process, the board as well, ends it; other processes on Redis announce nothing. */
  #readingOfPaused(name: QueueName): SharedReading<boolean> {
    const { clock } = this.#options
    const reading = new SharedReading<boolean>({ clock, keptMs: this.kind === 'embedded' ? PAUSED_KEPT_MS : 0 })
    for (const event of ['paused', 'resumed'] as const) this.#queues[name].on(event, () => reading.forget())
    return reading
  }

  /** The end of a job removes others of its queue by what the job was added with, so not each must look. */
  #jobOptions(name: QueueName): JobsOptions {
    const { completed, failed } = this.#options.retention ?? DEFAULT_RETENTION
    const counts = this.kind === 'redis' || this.#added++ % COUNT_EVERY === 0
    const kept = ({ ageMs, count }: Retention) => ({ age: Math.ceil(ageMs / 1000), ...(counts && { count }) })
    return {
      backoff: { type: BACKOFF_BY_REASON },
      removeOnComplete: (counts || this.#isSweepDue(name, completed.ageMs)) && kept(completed),
      removeOnFail: kept(failed),
      stackTraceLimit: KEPT_STACKS,
    }
  }

  #isSweepDue(name: QueueName, ageMs: number): boolean {
    const now = this.#options.clock.monotonic()
    const sweptAt = this.#sweptAt.get(name) ?? Number.NEGATIVE_INFINITY
    if (now - sweptAt < Math.min(SWEEP_EVERY_MS, ageMs)) return false
    this.#sweptAt.set(name, now)
    return true
  }

  #report(queue: QueueName | null, error: AttestdError): void {
    if (this.#closing) return
    const { reason, message } = error
    this.#options.onTrouble?.(error)
    // All queues and their connections are on one engine: they lose it together, in one line.
    this.#outages.trouble({ reason, message: 'queue error', facts: { queue, detail: message } })
  }
}

function* pages<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

import type { IQueueBackend, Job } from 'bullmq'
import { AttestdError, succeeds } from '../core/errors.js'
import { startTimer, withinLimit } from '../core/time-limit.js'
import type { Admission } from './admission.js'
import type { AnyConnection, Backing } from './backing.js'
import { DelayedError, WaitingError, Worker } from './bullmq.js'
import { engineError } from './engine-error.js'
import { MAX_STALLED } from './engine-options.js'
import { RunFailed, readFailure, reasonBackoff } from './job-failure.js'
import { type RunOptions, runJob } from './job-run.js'
import type { RunningWorker } from './queues.js'

/** What `QueueEngine.work` hands to a worker; `isUrgent` tells whether a job of the first priority waits. */
export interface JobWorkerOptions extends RunOptions {
  readonly backing: Backing
  readonly admission: Admission
  readonly isUrgent: () => Promise<boolean>
}

/** Wait before a failed command of a worker is retried, milliseconds. */
const COMMAND_RETRY_MS = 2000
/** Pause after the engine refused to hand out a job, milliseconds; BullMQ alone would ask again at once, for ever. */
const REFUSED_PAUSE_MS = 1000
/** Time for aborted runs to end and put their jobs back, milliseconds. */
const ABORT_GRACE_MS = 2000
/** Time for the connections of an abandoned worker to close, milliseconds. */
const ABANDON_MS = 1000
/** Looking for stalled jobs more often than this helps nobody, milliseconds. */
const MIN_STALLED_INTERVAL_MS = 500

type WorkerJob = Job<unknown, unknown, string, never>

/**
 * Runs the jobs of one queue until it is stopped: BullMQ's worker with a calm loop under errors, a strict pause, and a way
 * to be left behind when its jobs do not end. It takes a job only when it is admitted, since it shares with others what
 * the process can do at the same time. It cancels jobs whose locks were not renewed in time. BullMQ reports a renewal that
 * the engine refused, but not one that never came back: without this a process cut off from its engine would go on with
 * jobs that another one has taken over.
 */
export class JobWorker
  extends Worker<unknown, unknown, string, IQueueBackend, never, AnyConnection>
  implements RunningWorker
{
  readonly #options: JobWorkerOptions
  /** What takes back the timer of each job's lock. */
  readonly #locks = new Map<string, () => void>()
  /** Ends the wait to be admitted. */
  #entering: AbortController | null = null
  /** Jobs that ended by being put back: there BullMQ would ask for another before the place of this one is free. */
  readonly #putBack = new Set<string>()
  /** Places that its jobs hold; see `Admission`. */
  #places = 0
  /** Jobs that were taken and are still to be started, which BullMQ's loop does only once it does not wait for another. */
  #toStart = 0
  /** Whether it waits to be woken by the next job, so that no job that ends need look for one. */
  #waits = false
  /** Whether runs are aborted because the worker stops, rather than because a lock was lost. */
  #stopping = false
  #end: { readonly drained: boolean } | null = null

  /** Resolves when the worker has its connections and takes jobs. */
  static async start(options: JobWorkerOptions): Promise<JobWorker> {
    const started = new JobWorker(options)
    await started.waitUntilReady().catch((error: unknown) => {
      throw engineError(error)
    })
    void started.run()
    return started
  }

  private constructor(options: JobWorkerOptions) {
    // BullMQ makes a signal only for a processor that declares three parameters.
    const underLock = (job: Job, token?: string, signal?: AbortSignal) => this.#runUnderLock(job, token ?? '', signal)
    super(options.queue, underLock, workerOptions(options), options.backing.factory)
    const { events, queue, report } = options
    this.#options = options
    this.#watchLocks()
    this.#reportEnds()
    this.on('error', (error) => report(engineError(error)))
    this.on('stalled', (id) => events.stalled?.({ queue, id }))
    this.on('paused', () => this.#entering?.abort(null)).on('closing', () => this.#entering?.abort(null))
  }

  /** Active jobs go on. */
  override async pause(): Promise<void> {
    await super.pause(true)
  }

  override async resume(): Promise<void> {
    if (this.closing) return
    await super.resume()
    // Resumed at the moment when the paused loop ended: BullMQ took it for still running.
    if (!this.running && !this.paused && !this.closing) void this.run()
  }

  async stop(capMs: number): Promise<{ drained: boolean }> {
    if (this.#end) return this.#end
    const closed = this.close()
    const drained = await this.#within(closed, capMs > 0 && (await this.#isCutOff()) ? 0 : capMs)
    if (!drained) {
      this.#stopping = true
      this.cancelAllJobs()
      if (!(await this.#within(closed, ABORT_GRACE_MS))) await this.#within(this.#abandon(), ABANDON_MS)
    }
    this.#end = { drained }
    return this.#end
  }

  /** Whether it has no job, and waits for an engine alone that does not answer. */
  async #isCutOff(): Promise<boolean> {
    if (this.#locks.size + this.#toStart > 0) return false
    const { backing, clock } = this.#options
    return !(await withinLimit(clock, COMMAND_RETRY_MS, succeeds(backing.ping()), () => false))
  }

  /** A loop that breaks is an error event: `resume` starts the loop too, and nobody waits for that promise. */
  override async run(): Promise<void> {
    try {
      await super.run()
    } catch (error) {
      this.emit('error', error as Error)
    }
  }

  /** BullMQ alone would take the job that wakes a worker which was paused while it waited for one. */
  protected override async moveToActive(token: string, name?: string): Promise<WorkerJob> {
    this.#waits = false
    while (this.paused && !this.closing) await this.#change()
    // BullMQ's own way of saying that there is no job; its type does not show it.
    if (this.closing || !(await this.#admitted())) return undefined as never
    this.#places += 1
    let job: WorkerJob | undefined
    try {
      if (!this.paused && !this.closing) job = await super.moveToActive(token, name)
      if (job) this.#toStart += 1
      return job as never
    } catch (error) {
      if (!this.closing) await this.delay(REFUSED_PAUSE_MS)
      throw error
    } finally {
      if (!job) this.#leave()
    }
  }

  /** BullMQ asks for this as it begins to wait for a job. */
  protected override getBlockTimeout(blockUntil: number): number {
    this.#waits = true
    return super.getBlockTimeout(blockUntil)
  }

  /** The job that BullMQ takes in the same command that ends this one runs in its place, see `Admission.mayPassOn`. */
  override async processJob(job: WorkerJob, token: string, takesNext = () => true): Promise<WorkerJob | undefined> {
    this.#toStart -= 1
    const { admission } = this.#options
    const mayTake = () =>
      !this.#waits && takesNext() && !this.#putBack.has(job.id ?? '') && admission.mayPassOn(this.#entering?.signal)
    let next: WorkerJob | undefined
    try {
      next = (await super.processJob(job, token, mayTake)) ?? undefined
      return next
    } finally {
      this.#putBack.delete(job.id ?? '')
      if (next) {
        this.#toStart += 1
        this.#entering?.abort(null)
      } else this.#leave()
    }
  }

  async #runUnderLock(job: Job, token: string, canceled?: AbortSignal): Promise<unknown> {
    const id = job.id ?? ''
    const abort = new AbortController()
    const onCancel = () => abort.abort(new AttestdError(this.#stopping ? 'draining' : 'job-lock-lost'))
    canceled?.addEventListener('abort', onCancel, { once: true })
    if (canceled?.aborted) onCancel()
    this.#watchLock(id)
    try {
      return await runJob({ job, token, abort, stepAside: () => this.#stepAside() }, this.#options)
    } catch (error) {
      if (error instanceof DelayedError || error instanceof WaitingError) this.#putBack.add(id)
      throw error
    } finally {
      canceled?.removeEventListener('abort', onCancel)
      this.#forgetLock(id)
    }
  }

  /** See `JobRun`. Where as many stand aside as may, the job keeps its place. */
  #stepAside(): () => void {
    const { admission } = this.#options
    if (!admission.stepAside()) return () => {}
    this.#places -= 1
    let isAside = true
    return () => {
      if (!isAside) return
      isAside = false
      this.#places += 1
      admission.comeBack()
    }
  }

  /** @returns false where the worker was paused or closed, or has a job to start before it may wait for another */
  async #admitted(): Promise<boolean> {
    const { admission, isUrgent } = this.#options
    if (this.#toStart > 0) return admission.enterNow()
    const entering = new AbortController()
    this.#entering = entering
    try {
      return await admission.enter(isUrgent, entering.signal)
    } finally {
      this.#entering = null
    }
  }

  /** Ends lock renewal and connections without waiting for jobs: they stall, and another worker takes them over. */
  async #abandon(): Promise<void> {
    for (const id of this.#locks.keys()) this.#forgetLock(id)
    while (this.#places > 0) this.#leave()
    await this.lockManager.close()
    await this.backend.close(true)
  }

  /** Jobs that end after they were abandoned hold no place any more. */
  #leave(): void {
    if (this.#places === 0) return
    this.#places -= 1
    this.#options.admission.leave()
  }

  #reportEnds(): void {
    const { events, queue } = this.#options
    this.on('completed', (job, result) => {
      const elapsedMs = (job.finishedOn ?? 0) - (job.processedOn ?? job.finishedOn ?? 0)
      events.completed?.({ queue, id: job.id ?? '', data: job.data, result, attempt: job.attemptsMade, elapsedMs })
    })
    this.on('failed', (job, error) => {
      if (!job) return
      const { failure, retryInMs } =
        error instanceof RunFailed ? error : { failure: readFailure(error.message), retryInMs: null }
      const [id = '', attempt, final] = [job.id, job.attemptsMade, retryInMs === null]
      events.failed?.({ queue, id, data: job.data, ...failure, attempt, final, retryInMs })
    })
  }

  #watchLocks(): void {
    this.on('locksRenewed', ({ jobIds }) => {
      for (const id of jobIds) if (this.#locks.has(id)) this.#watchLock(id)
    })
    this.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.cancelJob(id)
    })
  }

  #watchLock(jobId: string): void {
    this.#forgetLock(jobId)
    const { clock, lockMs } = this.#options
    this.#locks.set(
      jobId,
      startTimer(clock, lockMs, () => void this.cancelJob(jobId)),
    )
  }

  #forgetLock(jobId: string): void {
    this.#locks.get(jobId)?.()
    this.#locks.delete(jobId)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.off('resumed', done).off('closing', done)
        resolve()
      }
      this.on('resumed', done).on('closing', done)
    })
  }

  /** @returns whether the work ended in time; its failure counts as an end */
  async #within(work: Promise<unknown>, ms: number): Promise<boolean> {
    const ended = work.then(
      () => true,
      () => true,
    )
    return withinLimit(this.#options.clock, ms, ended, () => false)
  }
}

function workerOptions({ backing, prefix, lockMs, admission }: JobWorkerOptions) {
  return {
    connection: backing.consumer,
    prefix,
    // The admission limits how many of them are taken.
    concurrency: admission.most,
    autorun: false,
    lockDuration: lockMs,
    stalledInterval: Math.max(MIN_STALLED_INTERVAL_MS, Math.round(lockMs / 2)),
    maxStalledCount: MAX_STALLED,
    runRetryDelay: COMMAND_RETRY_MS,
    settings: { backoffStrategy: reasonBackoff },
  }
}

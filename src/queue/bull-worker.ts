import { DelayedError, type IQueueBackend, type Job, WaitingError, Worker, type WorkerOptions } from 'bullmq'
import type { Clock } from '../core/clock.js'
import { startTimer } from '../core/time-limit.js'
import type { Admission } from './admission.js'
import type { AnyConnection, Backing } from './backing.js'

/** Pause after the engine refused to hand out a job, milliseconds; BullMQ alone would ask again at once, for ever. */
const REFUSED_PAUSE_MS = 1000

/** What a worker waits for before it takes a job; see `Admission`. */
interface Rules {
  readonly clock: Clock
  readonly admission: Admission
  readonly isUrgent: () => Promise<boolean>
}

type WorkerJob = Job<unknown, unknown, string, never>

/** Runs a job; the signal aborts when the job was canceled or its lock was lost. */
type Handle = (job: Job, token: string, signal: AbortSignal) => Promise<unknown>

/** `lockDuration`: how long a lock lasts, milliseconds. */
type Options = WorkerOptions & { readonly connection: AnyConnection; readonly lockDuration: number }

/**
 * BullMQ's worker with a calm loop under errors, a strict pause, and a way to be left behind when its jobs do not end. It
 * takes a job only when it is admitted, since it shares with others what the process can do at the same time. It
 * cancels jobs whose locks were not renewed in time. BullMQ reports a renewal that the engine refused, but not one that
 * never came back: without this a process cut off from its engine would go on with jobs that another one has taken over.
 */
export class BullWorker extends Worker<unknown, unknown, string, IQueueBackend, never, AnyConnection> {
  readonly #rules: Rules
  readonly #lockMs: number
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

  constructor(queue: string, handle: Handle, options: Options, factory: Backing['factory'], rules: Rules) {
    // BullMQ makes a signal only for a processor that declares three parameters.
    const underLock = async (job: Job, token?: string, signal?: AbortSignal) => {
      const id = job.id ?? ''
      this.#watchLock(id)
      try {
        return await handle(job, token ?? '', signal ?? new AbortController().signal)
      } catch (error) {
        if (error instanceof DelayedError || error instanceof WaitingError) this.#putBack.add(id)
        throw error
      } finally {
        this.#forgetLock(id)
      }
    }
    super(queue, underLock, options, factory)
    this.#rules = rules
    this.#lockMs = options.lockDuration
    this.on('locksRenewed', ({ jobIds }) => {
      for (const id of jobIds) if (this.#locks.has(id)) this.#watchLock(id)
    })
    this.on('paused', () => this.#entering?.abort(null)).on('closing', () => this.#entering?.abort(null))
    this.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.cancelJob(id)
    })
  }

  /** See `JobRun`. Where as many stand aside as may, the job keeps its place. */
  stepAside(): () => void {
    const { admission } = this.#rules
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

  /** A loop that breaks is an error event: `resume` starts the loop too, and nobody waits for that promise. */
  override async run(): Promise<void> {
    try {
      await super.run()
    } catch (error) {
      this.emit('error', error as Error)
    }
  }

  override async resume(): Promise<void> {
    await super.resume()
    // Resumed at the moment when the paused loop ended: BullMQ took it for still running.
    if (!this.running && !this.paused && !this.closing) void this.run()
  }

  /** BullMQ alone would take the job that wakes a worker which was paused while it waited for one. */
  protected override async moveToActive(token: string, name?: string): Promise<WorkerJob> {
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

  /** The job that BullMQ takes in the same command that ends this one runs in its place, see `Admission.mayPassOn`. */
  override async processJob(job: WorkerJob, token: string, takesNext = () => true): Promise<WorkerJob | undefined> {
    this.#toStart -= 1
    const { admission } = this.#rules
    const mayTake = () => takesNext() && !this.#putBack.has(job.id ?? '') && admission.mayPassOn(this.#entering?.signal)
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

  /** @returns false where the worker was paused or closed, or has a job to start before it may wait for another */
  async #admitted(): Promise<boolean> {
    const { admission, isUrgent } = this.#rules
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
  async abandon(): Promise<void> {
    for (const id of this.#locks.keys()) this.#forgetLock(id)
    while (this.#places > 0) this.#leave()
    await this.lockManager.close()
    await this.backend.close(true)
  }

  /** Jobs that end after they were abandoned hold no place any more. */
  #leave(): void {
    if (this.#places === 0) return
    this.#places -= 1
    this.#rules.admission.leave()
  }

  #watchLock(jobId: string): void {
    this.#forgetLock(jobId)
    this.#locks.set(
      jobId,
      startTimer(this.#rules.clock, this.#lockMs, () => void this.cancelJob(jobId)),
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
}

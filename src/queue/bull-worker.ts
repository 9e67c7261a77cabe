import { type IQueueBackend, type Job, Worker, type WorkerOptions } from 'bullmq'
import type { Clock } from '../core/clock.js'
import { startTimer } from '../core/time-limit.js'
import type { AnyConnection, Backing } from './backing.js'

/** Pause after the engine refused to hand out a job, milliseconds; BullMQ alone would ask again at once, for ever. */
const REFUSED_PAUSE_MS = 1000

/** Runs a job; the signal aborts when the job was canceled or its lock was lost. */
type Handle = (job: Job, token: string, signal: AbortSignal) => Promise<unknown>

/** `lockDuration`: how long a lock lasts, milliseconds. */
type Options = WorkerOptions & { readonly connection: AnyConnection; readonly lockDuration: number }

/**
 * BullMQ's worker with a calm loop under errors, a strict pause, and a way to be left behind when its jobs do not end. It
 * cancels jobs whose locks were not renewed in time. BullMQ reports a renewal that the engine refused, but not one that
 * never came back: without this a process cut off from its engine would go on with jobs that another one has taken over.
 */
export class BullWorker extends Worker<unknown, unknown, string, IQueueBackend, never, AnyConnection> {
  readonly #clock: Clock
  readonly #lockMs: number
  /** What takes back the timer of each job's lock. */
  readonly #locks = new Map<string, () => void>()

  constructor(queue: string, handle: Handle, options: Options, factory: Backing['factory'], clock: Clock) {
    // BullMQ makes a signal only for a processor that declares three parameters.
    const underLock = async (job: Job, token?: string, signal?: AbortSignal) => {
      const id = job.id ?? ''
      this.#watchLock(id)
      try {
        return await handle(job, token ?? '', signal ?? new AbortController().signal)
      } finally {
        this.#forgetLock(id)
      }
    }
    super(queue, underLock, options, factory)
    this.#clock = clock
    this.#lockMs = options.lockDuration
    this.on('locksRenewed', ({ jobIds }) => {
      for (const id of jobIds) if (this.#locks.has(id)) this.#watchLock(id)
    })
    this.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.cancelJob(id)
    })
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
  protected override async moveToActive(token: string, name?: string): Promise<Job<unknown, unknown, string, never>> {
    while (this.paused && !this.closing) await this.#change()
    // BullMQ's own way of saying that there is no job; its type does not show it.
    if (this.closing) return undefined as never
    try {
      return await super.moveToActive(token, name)
    } catch (error) {
      if (!this.closing) await this.delay(REFUSED_PAUSE_MS)
      throw error
    }
  }

  /** Ends lock renewal and connections without waiting for jobs: they stall, and another worker takes them over. */
  async abandon(): Promise<void> {
    for (const id of this.#locks.keys()) this.#forgetLock(id)
    await this.lockManager.close()
    await this.backend.close(true)
  }

  #watchLock(jobId: string): void {
    this.#forgetLock(jobId)
    this.#locks.set(
      jobId,
      startTimer(this.#clock, this.#lockMs, () => void this.cancelJob(jobId)),
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

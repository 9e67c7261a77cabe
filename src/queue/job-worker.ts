import type { Clock, Random } from '../core/clock.js'
import { withinLimit } from '../core/time-limit.js'
import type { Admission } from './admission.js'
import type { Backing } from './backing.js'
import { BullWorker } from './bull-worker.js'
import { engineError } from './engine-error.js'
import { MAX_STALLED } from './engine-options.js'
import { RetryLater, readFailure, reasonBackoff } from './job-failure.js'
import { JobRunner, type RunnerOptions } from './job-runner.js'
import type { Processor, QueueName, RunningWorker, WorkerEvents } from './queues.js'
import type { TroubleReporter } from './trouble.js'

/** What `QueueEngine.work` hands to a worker; `isUrgent` tells whether a job of the first priority waits. */
export interface JobWorkerOptions {
  readonly backing: Backing
  readonly queue: QueueName
  readonly prefix: string
  readonly lockMs: number
  readonly retryMaxMs: number
  readonly admission: Admission
  readonly isUrgent: () => Promise<boolean>
  readonly maxDataBytes: number
  readonly clock: Clock
  readonly random: Random
  readonly trouble: TroubleReporter
  readonly seal: RunnerOptions['seal']
  readonly onForged: RunnerOptions['onForged']
}

/** Wait before a failed command of a worker is retried, milliseconds. */
const COMMAND_RETRY_MS = 2000
/** Time for aborted runs to end and put their jobs back, milliseconds. */
const ABORT_GRACE_MS = 2000
/** Time for the connections of an abandoned worker to close, milliseconds. */
const ABANDON_MS = 1000
/** Looking for stalled jobs more often than this helps nobody, milliseconds. */
const MIN_STALLED_INTERVAL_MS = 500

/** Runs the jobs of one queue until it is stopped. */
export class JobWorker implements RunningWorker {
  readonly #worker: BullWorker
  readonly #clock: Clock
  readonly #endListening: () => void
  #stopping = false
  /** How it ended; null until then. */
  #end: { readonly drained: boolean } | null = null

  /** Resolves when the worker has its connections and takes jobs. */
  static async start<Data, Result>(
    processor: Processor<Data, Result>,
    events: WorkerEvents,
    options: JobWorkerOptions,
  ): Promise<JobWorker> {
    const started = new JobWorker(processor, events, options)
    await started.#worker.waitUntilReady()
    void started.#worker.run()
    return started
  }

  private constructor(processor: Processor<never, unknown>, events: WorkerEvents, options: JobWorkerOptions) {
    const { queue, prefix, lockMs, trouble, backing } = options
    this.#clock = options.clock
    const runner = new JobRunner(processor as Processor<unknown, unknown>, {
      queue,
      prefix,
      lockMs,
      retryMaxMs: options.retryMaxMs,
      maxDataBytes: options.maxDataBytes,
      clock: options.clock,
      random: options.random,
      events,
      stopping: () => this.#stopping,
      stepAside: () => this.#worker.stepAside(),
      saveData: backing.saveData,
      seal: options.seal,
      onForged: options.onForged,
      report: (error) => trouble.report(queue, error),
    })
    this.#worker = new BullWorker(
      queue,
      (job, token, signal) => runner.run(job, token, signal),
      workerOptions(options),
      backing.factory,
      options,
    )
    this.#endListening = trouble.listen(events)
    this.#listen(queue, events, trouble)
  }

  pause(): void {
    void this.#worker.pause(true)
  }

  resume(): void {
    if (!this.#worker.closing) void this.#worker.resume()
  }

  async stop(capMs: number): Promise<{ drained: boolean }> {
    if (this.#end) return this.#end
    const closed = this.#worker.close()
    const drained = await this.#within(closed, capMs)
    if (!drained) {
      this.#stopping = true
      this.#worker.cancelAllJobs()
      if (!(await this.#within(closed, ABORT_GRACE_MS))) await this.#within(this.#worker.abandon(), ABANDON_MS)
    }
    this.#endListening()
    this.#end = { drained }
    return this.#end
  }

  #listen(queue: QueueName, events: WorkerEvents, trouble: TroubleReporter): void {
    const worker = this.#worker
    worker.on('error', (error) => trouble.report(queue, engineError(error)))
    worker.on('stalled', (id) => events.stalled?.({ queue, id }))
    worker.on('completed', (job, result) => {
      const elapsedMs = (job.finishedOn ?? 0) - (job.processedOn ?? job.finishedOn ?? 0)
      events.completed?.({ queue, id: job.id ?? '', data: job.data, result, attempt: job.attemptsMade, elapsedMs })
    })
    worker.on('failed', (job, error) => {
      if (!job) return
      const attempt = job.attemptsMade
      const retryInMs = error instanceof RetryLater ? error.delayMs : null
      const failure = readFailure(error.message)
      events.failed?.({
        queue,
        id: job.id ?? '',
        data: job.data,
        ...failure,
        attempt,
        final: retryInMs === null,
        retryInMs,
      })
    })
  }

  /** @returns whether the work ended in time; its failure counts as an end */
  async #within(work: Promise<unknown>, ms: number): Promise<boolean> {
    const ended = work.then(
      () => true,
      () => true,
    )
    return withinLimit(this.#clock, ms, ended, () => false)
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

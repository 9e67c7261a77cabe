import { DelayedError, type Job, WaitingError } from 'bullmq'
import { unlessAborted } from '../core/abort.js'
import type { Clock, Random } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import type { Backing } from './backing.js'
import { cleanJson } from './clean-json.js'
import type { QueueEngineOptions } from './engine-options.js'
import { FailedForGood, RetryLater } from './job-failure.js'
import type { JobEnd, Processor, QueueName, WorkerEvents } from './queues.js'
import { holdDelayMs, judge, retriedPriority } from './retry-policy.js'

/** A worker's options as its runs need them; times are milliseconds, `maxDataBytes` UTF-8 bytes of JSON. */
export interface RunnerOptions {
  readonly queue: QueueName
  readonly prefix: string
  readonly lockMs: number
  readonly retryMaxMs: number
  readonly maxDataBytes: number
  readonly clock: Clock
  readonly random: Random
  readonly events: WorkerEvents
  /** Whether runs are aborted because the worker stops, rather than because a lock was lost. */
  readonly stopping: () => boolean
  readonly stepAside: () => () => void
  readonly saveData: Backing['saveData']
  readonly seal: QueueEngineOptions['seal']
  readonly onForged: QueueEngineOptions['onForged']
  readonly report: (error: AttestdError) => void
}

/** Carries one job from BullMQ to the processor and its end back, in the terms of `queues.ts`. */
export class JobRunner<Data, Result> {
  readonly #processor: Processor<Data, Result>
  readonly #options: RunnerOptions

  constructor(processor: Processor<Data, Result>, options: RunnerOptions) {
    this.#processor = processor
    this.#options = options
  }

  /** @returns the job's return value; every other end is thrown in BullMQ's way */
  async run(job: Job, token: string, canceled: AbortSignal): Promise<unknown> {
    const abort = new AbortController()
    const onCancel = () => abort.abort(this.#abortReason())
    canceled.addEventListener('abort', onCancel, { once: true })
    if (canceled.aborted) onCancel()
    let comeBack = () => {}
    try {
      this.#refuseForged(job)
      const end = await this.#processor({
        id: job.id ?? '',
        data: job.data,
        attempt: job.attemptsMade + 1,
        signal: abort.signal,
        save: (data) => this.#save(job, token, abort, data),
        stepAside: () => {
          comeBack()
          comeBack = this.#options.stepAside()
          return comeBack
        },
      })
      return await this.#settle(job, token, end)
    } catch (error) {
      if (error instanceof DelayedError) throw error
      if (abort.signal.aborted) return await this.#putBack(job, token)
      return await this.#settleThrown(job, token, error)
    } finally {
      comeBack()
      canceled.removeEventListener('abort', onCancel)
    }
  }

  /** A forged job is not kept: the id is free for the honest one. */
  #refuseForged(job: Job): void {
    const { onForged, queue, seal } = this.#options
    if (!seal || seal.isOurs(`job ${queue}`, job.id ?? '', job.data)) return
    job.opts.removeOnFail = true
    onForged?.('job')
    throw new AttestdError('fleet-code-wrong', 'The job does not carry the code of this fleet.')
  }

  #abortReason(): AttestdError {
    return new AttestdError(this.#options.stopping() ? 'draining' : 'job-lock-lost')
  }

  async #settle(job: Job, token: string, end: JobEnd<Result>): Promise<unknown> {
    if (end.kind === 'done') return cleanJson(end.result, this.#options.maxDataBytes)
    return await this.#hold(job, token, end.reason, holdDelayMs(end.delayMs))
  }

  async #settleThrown(job: Job, token: string, error: unknown): Promise<never> {
    const waits = Math.max(0, job.attemptsStarted - job.attemptsMade - 1)
    const { random, retryMaxMs } = this.#options
    const decision = judge(error, { attempt: job.attemptsMade + 1, waits }, retryMaxMs, random)
    if (decision.kind === 'hold') return await this.#hold(job, token, decision.reason, decision.delayMs)
    if (decision.kind === 'fail') throw new FailedForGood(decision.reason, decision.message, error)
    // BullMQ gives up after as many tries as the job was added with: none, or what an older release allowed.
    job.opts.attempts = job.attemptsMade + 2
    // New jobs go first: many that fail slowly, such as media that no gateway has, must not hold them up.
    if (job.attemptsMade === 0) await this.#goAfterNew(job)
    throw new RetryLater(decision.reason, decision.message, decision.delayMs, error)
  }

  async #goAfterNew(job: Job): Promise<void> {
    const changing = job.changePriority({ priority: retriedPriority(job.priority) })
    await changing.catch((error: unknown) => this.#options.report(toAttestdError(error, 'queue-unreachable')))
  }

  async #hold(job: Job, token: string, reason: AttestdError['reason'], delayMs: number): Promise<never> {
    // BullMQ takes a point in time on the wall clock and reads that clock itself.
    await job.moveToDelayed(this.#options.clock.now() + delayMs, token).catch((error: unknown) => {
      throw toAttestdError(error, 'queue-unreachable')
    })
    this.#options.events.held?.({ queue: this.#options.queue, id: job.id ?? '', data: job.data, reason, delayMs })
    throw new DelayedError()
  }

  /** An aborted run costs no attempt: the job goes back at once, or stays with whoever took it over. */
  async #putBack(job: Job, token: string): Promise<never> {
    try {
      await job.moveToWait(token)
    } catch (error) {
      this.#options.report(new AttestdError('job-lock-lost', undefined, { cause: error }))
    }
    throw new WaitingError()
  }

  /**
   * Replaces the job's data where this run still holds the lock. BullMQ's own update asks for no lock: waiting for an
   * engine that is away it could overwrite what the job's next owner recorded.
   */
  async #save(job: Job, token: string, abort: AbortController, data: Data): Promise<void> {
    const { signal } = abort
    signal.throwIfAborted()
    const { queue, prefix, lockMs, maxDataBytes, saveData, seal } = this.#options
    const plain = cleanJson(data, maxDataBytes)
    const clean = seal ? seal.sealed(`job ${queue}`, job.id ?? '', plain) : plain
    try {
      const saving = saveData({ queue, prefix, id: job.id ?? '', token, lockMs }, JSON.stringify(clean))
      // The engine may be away for long; a run that was aborted meanwhile must not wait for it.
      if (await unlessAborted(saving, signal)) {
        job.data = clean
        return
      }
    } catch (error) {
      throw toAttestdError(error, 'queue-unreachable')
    }
    const lost = new AttestdError('job-lock-lost')
    abort.abort(lost)
    throw lost
  }
}

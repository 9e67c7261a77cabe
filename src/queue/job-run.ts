import type { Job } from 'bullmq'
import { AttestdError, toAttestdError } from '../core/errors.js'
import { unlessAborted } from '../core/time-limit.js'
import type { Backing } from './backing.js'
import { DelayedError, WaitingError } from './bullmq.js'
import { cleanJson } from './clean-json.js'
import type { QueueEngineOptions } from './engine-options.js'
import { RunFailed } from './job-failure.js'
import type { JobEnd, Processor, QueueName, WorkerEvents } from './queues.js'
import { holdDelayMs, judge, retriedPriority } from './retry-policy.js'

/** What the runs of a queue have in common; times are milliseconds. */
export interface RunOptions
  extends Pick<QueueEngineOptions, 'clock' | 'lockMs' | 'onForged' | 'prefix' | 'random' | 'retryMaxMs' | 'seal'> {
  readonly queue: QueueName
  readonly processor: Processor<unknown, unknown>
  readonly events: WorkerEvents
  readonly backing: Pick<Backing, 'saveData'>
  readonly report: (error: AttestdError) => void
}

/** One job as a worker holds it. */
export interface HeldRun {
  readonly job: Job
  readonly token: string
  /** Ends the run; with a reason of ours. */
  readonly abort: AbortController
  readonly stepAside: () => () => void
}

/**
 * Carries one job from BullMQ to the processor and its end back, in the terms of `queues.ts`.
 * @returns the job's return value; every other end is thrown in BullMQ's way
 */
export async function runJob(run: HeldRun, options: RunOptions): Promise<unknown> {
  const { abort, job } = run
  let comeBack = () => {}
  try {
    refuseForged(job, options)
    const end = await options.processor({
      id: job.id ?? '',
      data: job.data,
      attempt: job.attemptsMade + 1,
      signal: abort.signal,
      save: (data) => save(data, run, options),
      stepAside: () => {
        comeBack()
        comeBack = run.stepAside()
        return comeBack
      },
    })
    return await settle(end, run, options)
  } catch (error) {
    if (error instanceof DelayedError) throw error
    if (abort.signal.aborted) return await putBack(run, options)
    return await settleThrown(error, run, options)
  } finally {
    comeBack()
  }
}

/** A forged job is not kept: the id is free for the honest one. */
function refuseForged(job: Job, { onForged, queue, seal }: RunOptions): void {
  if (!seal || seal.isOurs(`job ${queue}`, job.id ?? '', job.data)) return
  job.opts.removeOnFail = true
  onForged?.('job')
  throw new AttestdError('fleet-code-wrong', 'The job does not carry the code of this fleet.')
}

async function settle(end: JobEnd<unknown>, run: HeldRun, options: RunOptions): Promise<unknown> {
  if (end.kind === 'done') return cleanJson(end.result)
  return await hold(end.reason, holdDelayMs(end.delayMs), run, options)
}

async function settleThrown(error: unknown, run: HeldRun, options: RunOptions): Promise<never> {
  const { job } = run
  const waits = Math.max(0, job.attemptsStarted - job.attemptsMade - 1)
  const { random, retryMaxMs } = options
  const decision = judge(error, { attempt: job.attemptsMade + 1, waits }, retryMaxMs, random)
  const { message, reason } = decision
  if (decision.kind === 'hold') return await hold(reason, decision.delayMs, run, options)
  if (decision.kind === 'fail') throw new RunFailed({ reason, message }, null, error)
  // BullMQ gives up after as many tries as the job was added with: none, or what an older release allowed.
  job.opts.attempts = job.attemptsMade + 2
  // New jobs go first: many that fail slowly, such as media that no gateway has, must not hold them up.
  if (job.attemptsMade === 0) await goAfterNew(job, options)
  throw new RunFailed({ reason, message }, decision.delayMs, error)
}

async function goAfterNew(job: Job, { report }: RunOptions): Promise<void> {
  const changing = job.changePriority({ priority: retriedPriority(job.priority) })
  await changing.catch((error: unknown) => report(toAttestdError(error, 'queue-unreachable')))
}

async function hold(
  reason: AttestdError['reason'],
  delayMs: number,
  { job, token }: HeldRun,
  { clock, events, queue }: RunOptions,
): Promise<never> {
  // BullMQ takes a point in time on the wall clock and reads that clock itself.
  await job.moveToDelayed(clock.now() + delayMs, token).catch((error: unknown) => {
    throw toAttestdError(error, 'queue-unreachable')
  })
  events.held?.({ queue, id: job.id ?? '', reason, delayMs })
  throw new DelayedError()
}

/** An aborted run costs no attempt: the job goes back at once, or stays with whoever took it over. */
async function putBack({ job, token }: HeldRun, { report }: RunOptions): Promise<never> {
  try {
    await job.moveToWait(token)
  } catch (error) {
    report(new AttestdError('job-lock-lost', undefined, { cause: error }))
  }
  throw new WaitingError()
}

/**
 * Replaces the job's data where this run still holds the lock. BullMQ's own update asks for no lock: waiting for an
 * engine that is away it could overwrite what the job's next owner recorded.
 */
async function save(data: unknown, { abort, job, token }: HeldRun, options: RunOptions): Promise<void> {
  const { signal } = abort
  signal.throwIfAborted()
  const { backing, lockMs, prefix, queue, seal } = options
  const id = job.id ?? ''
  const plain = cleanJson(data)
  const clean = seal ? seal.sealed(`job ${queue}`, id, plain) : plain
  try {
    const saving = backing.saveData({ queue, prefix, id, token, lockMs }, JSON.stringify(clean))
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

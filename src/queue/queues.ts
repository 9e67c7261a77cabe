import { MEDIA_TYPES, type MediaType } from '../core/media-types.js'
import type { Reason } from '../core/reasons.js'
import type { FleetStore } from '../fleet/fleet-store.js'
import type { Claims, SharedTexts } from './claims.js'
import type { JobFailure } from './job-failure.js'
import type { WaitingJobs, WaitingLine } from './waiting-jobs.js'

/** A queue for each kind of media, so that a worker takes only what it has a detector for. */
export type AnalyzeQueue = `analyze-${MediaType | 'unknown'}`
/** The queue of assets of this kind; null where the service does not state it. */
export const analyzeQueue = (mediaType: MediaType | null): AnalyzeQueue => `analyze-${mediaType ?? 'unknown'}`
/** What makes verdicts; the last holds what must be fetched to know its kind. */
export const ANALYZE_QUEUES: readonly AnalyzeQueue[] = [...MEDIA_TYPES, null].map(analyzeQueue)
export const QUEUE_NAMES: readonly QueueName[] = [...ANALYZE_QUEUES, 'submit']
/** The `analyze` queues make verdicts, `submit` sends them; each has its own workers and attempts. */
export type QueueName = AnalyzeQueue | 'submit'
/** The work of a queue, which has the name of the role that does it. */
export const stageOf = (queue: QueueName): 'analyze' | 'submit' => (queue === 'submit' ? queue : 'analyze')
/** What a person may call queues by: `analyze` is all of that stage. */
export const QUEUE_WORDS: readonly string[] = ['analyze', ...QUEUE_NAMES]
/** The queues that a word of `QUEUE_WORDS` means; all of them without one. */
export const queuesNamed = (word: string | undefined): readonly QueueName[] =>
  QUEUE_NAMES.filter((name) => word === undefined || word === name || word === stageOf(name))
/** In as few words of `QUEUE_WORDS` as there are. */
export function queueWords(names: readonly QueueName[]): string[] {
  const all = ANALYZE_QUEUES.every((name) => names.includes(name))
  return all ? ['analyze', ...names.filter((name) => stageOf(name) !== 'analyze')] : [...names]
}

/** What may differ from job to job; back-off and retention are the queue's. */
export interface AddOptions {
  /** 1 goes first. */
  readonly priority: number
}

export interface JobRun<Data> {
  readonly id: string
  readonly data: Data
  /** 1 on the first try. Waits (`hold`) do not count. */
  readonly attempt: number
  /** Aborts when the lock was lost, the worker is forced to stop, or the job was cancelled. */
  readonly signal: AbortSignal
  /** Replaces the job's data durably before anything else happens (survives kill -9). */
  save(data: Data): Promise<void>
  /**
   * Lets the worker take another job in place of this one while this one only waits, up to the `aside` of the engine. Ends
   * with the run. @returns takes the place back
   */
  stepAside(): () => void
}

/** How a run ended. Throwing an `AttestdError` of kind `retry` or `permanent` is the other way to end. */
export type JobEnd<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** Put back for later without spending an attempt. */
  | { readonly kind: 'hold'; readonly reason: Reason; readonly delayMs: number }

/** The work of a queue, called for each run of a job; what it throws is judged by its reason. */
export type Processor<Data, Result> = (run: JobRun<Data>) => Promise<JobEnd<Result>>

export interface KnownJob {
  /** `waiting` with those that wait for their next try. */
  readonly state: 'waiting' | 'active' | 'completed' | 'failed'
  readonly data: unknown
  /** Tries that failed. */
  readonly attempts: number
  /** How the last of them failed; null where none did. */
  readonly failure: JobFailure | null
  /** Set where its data does not carry the code of the fleet: a worker would refuse it. */
  readonly forged?: true
}

/** A job that failed for good and is kept until a person retries it or its retention ends. */
export interface FailedJob {
  readonly queue: QueueName
  readonly id: string
  /** Reason code of the last failure, `internal-error` where it was none of ours. */
  readonly reason: Reason
  readonly message: string
  readonly attempts: number
  /** Unix ms. */
  readonly failedAt: number
  readonly data: unknown
}

export interface RetryingJob {
  readonly queue: QueueName
  readonly id: string
  /** How the last try failed; null for a job that was only held, as while the gate is closed. */
  readonly failure: JobFailure | null
  /** Tries that failed. */
  readonly attempts: number
  /** Unix ms. */
  readonly addedAt: number
  /** About when it is tried next, Unix ms. */
  readonly nextTryAt: number
  readonly data: unknown
}

/** Jobs by state, for metrics and `/status`; ended ones only as long as they are kept. */
export interface QueueCounts {
  readonly waiting: number
  readonly active: number
  readonly delayed: number
  readonly failed: number
  readonly completed: number
}

/** What the worker reports to the log and metrics. */
export interface WorkerEvents {
  completed?(event: {
    queue: QueueName
    id: string
    data: unknown
    result: unknown
    attempt: number
    elapsedMs: number
  }): void
  /** A try failed; `final` when the reason is not one that passes. */
  failed?(event: {
    queue: QueueName
    id: string
    data: unknown
    reason: Reason
    message: string
    attempt: number
    final: boolean
    retryInMs: number | null
  }): void
  held?(event: { queue: QueueName; id: string; reason: Reason; delayMs: number }): void
  stalled?(event: { queue: QueueName; id: string }): void
}

/** The handle of a worker, which takes jobs from the moment `work` has resolved. */
export interface RunningWorker {
  /**
   * Takes no new jobs until `resume`; active ones go on, and a take already sent to the engine ends. Only this worker
   * is meant: others of the queue go on. Pausing twice is pausing once.
   */
  pause(): void
  resume(): void
  /**
   * Takes no new jobs; resolves when active ones ended, or after `capMs` (then their signals abort and they are left to be
   * taken over). Once it has ended, it reports again how.
   */
  stop(capMs: number): Promise<{ drained: boolean }>
}

/** The queue engine behind one URL: embedded, or Redis of any shape. All BullMQ. */
export interface QueueEngine {
  readonly kind: 'embedded' | 'redis'
  readonly claims: Claims
  /** Null where one process serves the queue. */
  readonly texts: SharedTexts | null
  /** Adds a job; no-op while a job of that id is retained in any state. @returns whether it was new */
  add(queue: QueueName, id: string, data: unknown, options: AddOptions): Promise<{ added: boolean }>
  work<Data, Result>(queue: QueueName, processor: Processor<Data, Result>, events: WorkerEvents): Promise<RunningWorker>
  /** Jobs that wait (waiting, prioritized, delayed), for dropping those of closed assets. */
  pending(queue: QueueName): AsyncIterable<{ id: string; data: unknown; addedAt: number }>
  /** Jobs that completed and are kept, with what they returned. */
  completed(queue: QueueName): AsyncIterable<{ id: string; data: unknown; result: unknown }>
  /**
   * Replaces the data of a job that waits (delayed ones too) where it is still what `find` returned, and lets a worker take
   * it at once. Of several that replace the same data one succeeds, however long any of them takes.
   * @returns false where the data is no longer that, or the job is active, ended or gone; then nothing was changed
   */
  replace(queue: QueueName, id: string, before: unknown, data: unknown): Promise<boolean>
  /** Removes a job that waits (delayed ones too), or one that completed. @returns false where it is in another state or absent */
  remove(queue: QueueName, id: string, state: 'waiting' | 'completed'): Promise<boolean>
  /** A job in whatever state; null where the queue does not have it. */
  find(queue: QueueName, id: string): Promise<KnownJob | null>
  /** What a completed job returned; undefined where it is in another state or absent. */
  result(queue: QueueName, id: string): Promise<unknown>
  counts(queue: QueueName): Promise<QueueCounts>
  waiting(queue: QueueName, lines: readonly WaitingLine[]): Promise<WaitingJobs[]>
  failed(queue: QueueName, limit: number): Promise<FailedJob[]>
  /** The jobs that wait for their next try, the first to be tried first; `limit` at most. */
  retrying(queue: QueueName, limit: number): Promise<RetryingJob[]>
  /** Failed jobs back to waiting; all of the queue where `ids` is absent. @returns how many */
  retry(queue: QueueName, ids?: readonly string[]): Promise<number>
  /** Removes waiting and delayed jobs. @returns how many */
  drain(queue: QueueName): Promise<number>
  /** No worker of any process takes jobs of the queue until `resume`, also after restarts; active ones go on. */
  pause(queue: QueueName): Promise<void>
  resume(queue: QueueName): Promise<void>
  isPaused(queue: QueueName): Promise<boolean>
  /** Where the daemons on this queue know of each other. */
  readonly fleet: FleetStore
  /** Round trip to the engine; throws `queue-unreachable`. */
  ping(signal?: AbortSignal): Promise<void>
  /** BullMQ `Queue` objects for the board; untyped here so that only `queue/` and the board know BullMQ. */
  boardQueues(): readonly unknown[]
  /** Resolves with the error when the engine is lost for good and the process should exit with 75. */
  readonly lost: Promise<Error>
  close(): Promise<void>
}

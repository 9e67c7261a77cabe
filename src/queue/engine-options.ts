import type { Clock, Random } from '../core/clock.js'
import type { AttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { FleetSeal } from '../fleet/fleet-seal.js'
import type { OnForged } from '../fleet/sealed-texts.js'
import type { RedisAccess } from './redis/redis-access.js'

/**
 * How long ended jobs are kept: until they are this old or this many newer ones have ended, whichever is first. The
 * embedded engine counts them at about every hundredth end, and looks for the age of completed ones once a minute.
 */
export interface Retention {
  /** Milliseconds. */
  readonly ageMs: number
  readonly count: number
}

/** What both engines are opened with; where only one of them uses an option, its text names it. */
export interface QueueEngineOptions {
  /** `embedded:`, `embedded:/some/dir`, or a URL of Redis as `redis/redis-url.ts` reads it. */
  readonly url: string
  /** Where the embedded queue keeps its files when the URL names no directory. */
  readonly dataDir: string
  /** What opens Redis in addition to the URL. */
  readonly redis?: RedisAccess
  /** Redis key prefix; keeps deployments apart. The embedded engine has its own directory and ignores it. */
  readonly prefix: string
  /** How long a job stays with a worker that stopped renewing its lock, milliseconds. */
  readonly lockMs: number
  /** Jobs that run at the same time in this process; those of `analyze` whatever their queue. */
  readonly concurrency: Readonly<Record<'analyze' | 'submit', number>>
  /** Jobs of `analyze`, and of `submit`, that may run in addition while they wait aside. @default 64 */
  readonly aside?: number
  /** Longest pause between two tries of a job, milliseconds. How many there are has no limit. */
  readonly retryMaxMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /**
   * Whether the embedded engine waits for the disk on every commit. Without it a power cut may lose the last jobs, a kill
   * none. @default false
   */
  readonly fsync?: boolean
  /** @default DEFAULT_RETENTION */
  readonly retention?: { readonly completed: Retention; readonly failed: Retention }
  /** How long to wait at start for a Redis that does not answer, milliseconds. @default 30 s */
  readonly startWaitMs?: number
  /** Proves that the fleet wrote what lies in Redis; without it whoever writes there is trusted. The embedded engine ignores it. */
  readonly seal?: FleetSeal | undefined
  /** Called for each trouble of the engine, which may have cost jobs. */
  readonly onTrouble?: ((error: AttestdError) => void) | undefined
  /** Called for what carries no code of the fleet. */
  readonly onForged?: OnForged | undefined
  /** Ends the wait at start. */
  readonly signal?: AbortSignal | undefined
}

const HOUR_MS = 3_600_000

/** Completed jobs make a second add of their id a no-op for a day; failed ones wait for a person for a month. */
export const DEFAULT_RETENTION = {
  completed: { ageMs: 24 * HOUR_MS, count: 10_000 },
  failed: { ageMs: 30 * 24 * HOUR_MS, count: 10_000 },
} as const

/** Milliseconds: room for a Redis that is started together with the daemon. */
export const DEFAULT_START_WAIT_MS = 30_000

/** As many as fetch at once by default. */
export const DEFAULT_ASIDE = 64

/** Starts of a job that ended with a dead or hung process before the job is failed as `job-stalled`. */
export const MAX_STALLED = 10
/** BullMQ's own words for that; they stand in the job, so they are translated when it is read. */
export const STALLED_MESSAGE = 'job stalled more than allowable limit'
/** Entries of the event stream that BullMQ keeps for each queue; nothing here reads it. */
export const MAX_EVENTS = 1000

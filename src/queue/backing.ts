import type { BackendFactory, IQueueBackend, JobsOptions, Queue } from 'bullmq'
import type { AttestdError } from '../core/errors.js'
import type { FleetStore } from '../fleet/fleet-store.js'
import type { Claims, SharedTexts } from './claims.js'

/** A connection as BullMQ takes it; each engine's factory knows its own. */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's option types are invariant in the connection
export type AnyConnection = any

export type BullQueue = Queue<unknown, unknown, string, unknown, unknown, string, IQueueBackend, AnyConnection>

/** Options of a job of ours as BullMQ takes them. */
export type AddedOptions = JobsOptions & { readonly jobId: string; readonly priority: number }

/** An active job, as the worker that took it knows it. */
export interface HeldJob {
  readonly queue: string
  readonly prefix: string
  readonly id: string
  readonly token: string
  /** How long a lock lasts, milliseconds. */
  readonly lockMs: number
}

/** What an engine adds to BullMQ: how to connect, how to check, how to end. */
export interface Backing {
  readonly kind: 'embedded' | 'redis'
  /** For commands of queues: fails when the engine stays away. */
  readonly producer: AnyConnection
  /** For workers: waits for the engine to come back. */
  readonly consumer: AnyConnection
  readonly factory: BackendFactory<IQueueBackend, AnyConnection>
  /**
   * Replaces the data of a job in one step with the check that the token still holds its lock, which is renewed. Waits
   * while the engine is away.
   * @param json the data as JSON text
   * @returns whether the lock was held; else nothing was changed
   */
  saveData(job: HeldJob, json: string): Promise<boolean>
  /**
   * Replaces the data of a job that waits in one step with the check that it is still what was read.
   * @param before the data that was read, as JSON text
   * @param json the new data as JSON text
   * @returns false where it is no longer that, or the job is active, ended or gone; then nothing was changed
   */
  swapData(job: Omit<HeldJob, 'lockMs' | 'token'>, before: string, json: string): Promise<boolean>
  /** Adds a job that carries the name of its queue. @returns whether it was new: false where one of its id is kept */
  add(queue: BullQueue, data: unknown, options: AddedOptions): Promise<boolean>
  /** Where the daemons on this engine know of each other. */
  readonly fleet: FleetStore
  readonly claims: Claims
  /** Null where one process serves the queue. */
  readonly texts: SharedTexts | null
  /** One round trip; rejects when there is none. */
  ping(): Promise<void>
  /** Reports connection trouble, unthrottled. */
  onTrouble(listener: (error: AttestdError) => void): void
  /** Resolves when the engine is gone for good. */
  readonly lost: Promise<Error>
  close(): Promise<void>
}

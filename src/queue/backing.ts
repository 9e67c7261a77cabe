import type { BackendFactory, IQueueBackend } from 'bullmq'
import type { AttestdError } from '../core/errors.js'

/** A connection as BullMQ takes it; each engine's factory knows its own. */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's option types are invariant in the connection
export type AnyConnection = any

/** What an engine brings to BullMQ: how to connect, how to check, how to end. */
export interface Backing {
  readonly kind: 'embedded' | 'redis'
  /** For commands of queues: fails when the engine stays away. */
  readonly producer: AnyConnection
  /** For workers: waits for the engine to come back. */
  readonly consumer: AnyConnection
  readonly factory: BackendFactory<IQueueBackend, AnyConnection>
  /** One round trip; rejects when there is none. */
  ping(): Promise<void>
  /** Tells about connection trouble, unthrottled. */
  onTrouble(listener: (error: AttestdError) => void): void
  /** Resolves when the engine is gone for good. */
  readonly lost: Promise<Error>
  close(): Promise<void>
}

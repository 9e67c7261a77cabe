import type { PgNotification } from 'bullmq'

/**
 * What the database thread is started with. Both ends of it are ours, so it is not parsed: loading zod in the thread took a
 * tenth of the processor time of an open.
 */
export interface ThreadSettings {
  /** The PostgreSQL data directory. */
  readonly directory: string
  /** Whether commits wait for the disk. */
  readonly fsync: boolean
}

/** What the main thread asks of the database thread. `params` makes it one prepared statement; else it is a script. */
export type ThreadRequest =
  | { readonly id: number; readonly ask: 'query'; readonly text: string; readonly params?: readonly unknown[] }
  | { readonly id: number; readonly ask: 'close' }

/** The answer to a request, in the form in which BullMQ takes it; that of a script is its last statement's. */
export interface QueryRows {
  readonly rows: unknown[]
  readonly rowCount: number
}

/** Why a request failed; `code` and `detail` are PostgreSQL's, which BullMQ reads. */
export interface ThreadFailure {
  readonly message: string
  readonly code?: string
  readonly detail?: string
}

/** What the database thread sends. Both ends are built from this file, so shapes are not checked at run time. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'failed-to-start'; readonly message: string }
  | {
      readonly type: 'answers'
      readonly answers: readonly ThreadAnswer[]
      /** What the requests notified of. */
      readonly notifications: readonly PgNotification[]
    }

/** To one request. */
export type ThreadAnswer =
  | { readonly id: number; readonly result: QueryRows }
  | { readonly id: number; readonly failure: ThreadFailure }

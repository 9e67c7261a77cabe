import { createRequire } from 'node:module'

/**
 * What is called of BullMQ, by `require`: `import` reads each of its 171 files once more, to find the names that they export,
 * which takes a tenth of a second of processor time in each process that opens the queue.
 */
export const { createPostgresBackend, createRedisBackend, DelayedError, Queue, runMigrations, WaitingError, Worker } =
  createRequire(import.meta.url)('bullmq') as typeof import('bullmq')

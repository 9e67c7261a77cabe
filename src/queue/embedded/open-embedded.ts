import fs from 'node:fs/promises'
import path from 'node:path'
import type { IQueueBackend, PgPool } from 'bullmq'
import type { Clock } from '../../core/clock.js'
import { DirectoryLock } from '../../core/disk/directory-lock.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { storageError } from '../../core/disk/storage-error.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { isThere } from '../../core/files.js'
import { memoryFleet } from '../../fleet/memory-fleet.js'
import type { Backing } from '../backing.js'
import { createPostgresBackend } from '../bullmq.js'
import { MemoryClaims } from '../claims.js'
import { MAX_STALLED, type QueueEngineOptions, STALLED_MESSAGE } from '../engine-options.js'
import { placeEmptyDatabase } from './empty-database.js'
import { PglitePool } from './pglite-pool.js'
import { migrate } from './schema.js'

/** As BullMQ's own recovery of stalled jobs, but at once, and in the old place of the line. */
const RECOVER = `
UPDATE job
   SET state = 'waiting', lock_token = NULL, locked_until_ms = NULL, stalled_marked = false,
       stalled_count = stalled_count + 1,
       deferred_failure = CASE WHEN stalled_count + 1 > $1 THEN $2 ELSE deferred_failure END
 WHERE state = 'active'`

/**
 * Opens the embedded engine in a directory that only this process may use.
 * @throws AttestdError queue-in-use, data-dir-unusable, disk-full
 */
export async function openEmbedded(
  dir: string,
  { clock, fsync = false, log }: Pick<QueueEngineOptions, 'clock' | 'fsync' | 'log'>,
): Promise<Backing> {
  await makeDirectory(dir)
  const lock = await DirectoryLock.take(dir, (who) => inUse(dir, who), clock)
  try {
    const pool = await openDatabase(path.join(dir, 'pg'), fsync, clock)
    const recovered = await prepare(pool)
    if (recovered > 0) log.info({ jobs: recovered }, 'jobs of a killed process were put back')
    return embeddedBacking(pool, lock, clock)
  } catch (error) {
    await lock.release()
    if (error instanceof AttestdError) throw error
    throw storageError(`The embedded queue in ${dir} did not open: ${errorText(error)}`, error)
  }
}

async function makeDirectory(dir: string): Promise<void> {
  try {
    await makeFolder(dir, 0o700)
  } catch (error) {
    throw storageError(`The queue directory ${dir} cannot be created: ${errorText(error)}`, error)
  }
}

function inUse(dir: string, who: string): AttestdError {
  return new AttestdError(
    'queue-in-use',
    `The embedded queue in ${dir} is already open in ${who}; only one process can use it.`,
  )
}

async function openDatabase(directory: string, fsync: boolean, clock: Clock): Promise<PglitePool> {
  if (!(await isThere(directory))) await placeEmptyDatabase(directory, fsync, clock)
  // PostgreSQL's lock proves nothing next to the lock of this directory, but one that a kill left empty keeps it shut for good.
  await fs.rm(path.join(directory, 'postmaster.pid'), { force: true })
  return PglitePool.open({ directory, fsync }, clock)
}

async function prepare(pool: PglitePool): Promise<number> {
  try {
    await migrate(pool)
    return await recoverActiveJobs(pool)
  } catch (error) {
    await pool.end()
    throw error
  }
}

/**
 * Puts back the jobs that a killed process left active, instead of waiting for their locks to expire.
 * Safe only while nobody else can hold a job: after the directory lock was taken and before the first worker starts.
 * A start that ended in a dead process counts as a stall, so that a job which kills its process is failed in the end.
 * @returns how many
 */
async function recoverActiveJobs(pool: PgPool): Promise<number> {
  const { rowCount } = await pool.query(RECOVER, [MAX_STALLED, STALLED_MESSAGE])
  return rowCount ?? 0
}

function embeddedBacking(pool: PglitePool, lock: DirectoryLock, clock: Clock): Backing {
  // Whoever took the directory may write to it by now.
  const lockLost = lock.lost.then((error) => {
    void pool.kill()
    return error
  })
  return {
    kind: 'embedded',
    producer: pool,
    consumer: pool,
    factory: (name, options, extra): IQueueBackend => createPostgresBackend(name, options, extra),
    saveData: pool.saveData,
    swapData: pool.swapData,
    add: pool.add,
    fleet: memoryFleet(clock),
    claims: new MemoryClaims(clock),
    texts: null,
    ping: async () => {
      await pool.query('SELECT 1', [])
    },
    onTrouble: (listener) => {
      pool.on('error', (error: unknown) =>
        listener(new AttestdError('internal-error', errorText(error), { cause: error })),
      )
    },
    lost: Promise.race([pool.lost, lockLost]),
    close: async () => {
      try {
        await pool.end()
      } finally {
        await lock.release()
      }
    },
  }
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { createPostgresBackend, type IQueueBackend } from 'bullmq'
import { DirectoryLock } from '../../core/directory-lock.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Backing } from '../backing.js'
import { placeEmptyDatabase } from './empty-database.js'
import { PglitePool } from './pglite-pool.js'
import { recoverActiveJobs } from './recover-active.js'
import { saveInDatabase } from './save-data.js'
import { migrate } from './schema.js'

export interface EmbeddedOptions {
  readonly fsync?: boolean
  readonly log: Log
}

/**
 * Opens the embedded engine in a directory that only this process may use.
 * @throws `queue-in-use`, `data-dir-unusable`
 */
export async function openEmbedded(dir: string, { fsync = false, log }: EmbeddedOptions): Promise<Backing> {
  await makeDirectory(dir)
  const lock = await DirectoryLock.take(dir, (who) => inUse(dir, who))
  try {
    const pool = await openDatabase(path.join(dir, 'pg'), fsync)
    const recovered = await prepare(pool)
    if (recovered > 0) log.info({ jobs: recovered }, 'jobs of a killed process put back')
    return embeddedBacking(pool, lock)
  } catch (error) {
    await lock.release()
    if (error instanceof AttestdError) throw error
    throw new AttestdError('data-dir-unusable', `The embedded queue in ${dir} did not open: ${errorText(error)}`, {
      cause: error,
    })
  }
}

async function makeDirectory(dir: string): Promise<void> {
  try {
    await fs.mkdir(dir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new AttestdError('data-dir-unusable', `The queue directory ${dir} cannot be created: ${errorText(error)}`, {
      cause: error,
    })
  }
}

function inUse(dir: string, who: string): AttestdError {
  return new AttestdError(
    'queue-in-use',
    `The embedded queue in ${dir} is already open in ${who}; only one process can use it. ` +
      'For several processes set ATTESTD_QUEUE_URL to redis://HOST:6379; to use a second queue give it another ATTESTD_DATA_DIR.',
  )
}

async function openDatabase(directory: string, fsync: boolean): Promise<PglitePool> {
  if (!(await exists(directory))) await placeEmptyDatabase(directory, fsync)
  return PglitePool.open({ directory, fsync })
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

function embeddedBacking(pool: PglitePool, lock: DirectoryLock): Backing {
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
    saveData: (job, json) => saveInDatabase(pool, job, json),
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

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  )
}

import fs from 'node:fs/promises'
import type { Clock } from '../../core/clock.js'
import { packagePath, readFileIfPresent } from '../../core/files.js'
import { packDirectory, unpackDirectory } from './packed-directory.js'
import { PglitePool } from './pglite-pool.js'
import { migrate } from './schema.js'

/** Where the build (.ci/empty-database.mjs) leaves the packed database. */
export const PACKED_DATABASE = packagePath('dist', 'queue', 'embedded', 'empty-database.gz')

/**
 * Puts a database without jobs at a path. The one that the build packed is taken, because making one costs five seconds
 * of processor time; without one it is made. A kill on the way leaves nothing half made.
 */
export async function placeEmptyDatabase(
  directory: string,
  fsync: boolean,
  clock: Clock,
  packedFile = PACKED_DATABASE,
): Promise<void> {
  const draft = `${directory}.new`
  await fs.rm(draft, { recursive: true, force: true })
  const packed = await readFileIfPresent(packedFile)
  if (packed === null) await makeDatabase(draft, fsync, clock)
  else await unpackDirectory(packed, draft, fsync)
  await fs.rename(draft, directory)
}

/** Makes a database and packs it. @param scratch a path that is free, next to which nothing is left */
export async function packEmptyDatabase(scratch: string, clock: Clock): Promise<Buffer> {
  try {
    await makeDatabase(scratch, false, clock)
    return await packDirectory(scratch)
  } finally {
    await fs.rm(scratch, { recursive: true, force: true })
  }
}

/** The thread that made it ends: initdb leaves several hundred megabytes of WASM memory behind that only that frees. */
async function makeDatabase(directory: string, fsync: boolean, clock: Clock): Promise<void> {
  const pool = await PglitePool.open({ directory, fsync }, clock)
  try {
    await migrate(pool)
  } finally {
    await pool.end()
  }
}

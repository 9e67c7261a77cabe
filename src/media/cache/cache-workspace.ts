import fs from 'node:fs/promises'
import path from 'node:path'
import { makeOwnFolder, removeLeftFolders, removeOwnFolder } from '../../core/disk/own-folders.js'
import { onDisk } from './spool.js'

/** A process's own folder inside the cache: downloads under way, and links to files in use. */
export interface Workspace {
  /** A path for a new file; nothing is made yet. */
  path(): string
  close(): Promise<void>
}

/** A workspace of another machine is taken for abandoned when nothing was added or removed for this long. */
const FOREIGN_LEFTOVER_MS = 24 * 3_600_000

/**
 * Makes a workspace and removes those that crashed processes left behind.
 * @param folder holds one folder per process, named `HOST_PID_RANDOM`
 */
export async function openWorkspace(folder: string): Promise<Workspace> {
  await onDisk(() => fs.mkdir(folder, { recursive: true, mode: 0o700 }))
  const own = await onDisk(() => makeOwnFolder(folder))
  // By the clock of the file system, since that of this machine may be wrong by days.
  const { mtimeMs: now } = await onDisk(() => fs.stat(own))
  await onDisk(() => removeLeftFolders(folder, '', (other) => isUnused(other, now)))
  let count = 0
  return {
    path() {
      count += 1
      return path.join(own, String(count))
    },
    async close() {
      await removeOwnFolder(own).catch(() => {})
    },
  }
}

async function isUnused(folder: string, now: number): Promise<boolean> {
  const stat = await fs.stat(folder).catch(() => null)
  return stat !== null && now - stat.mtimeMs > FOREIGN_LEFTOVER_MS
}

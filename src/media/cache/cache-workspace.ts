import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onDisk } from './spool.js'

/** A process's own folder inside the cache: downloads under way, and links to files in use. */
export interface Workspace {
  /** A path for a new file; nothing is made yet. */
  path(): string
  /** Removes the folder and all in it. */
  close(): Promise<void>
}

/** A workspace of another machine is taken for abandoned when nothing was added or removed for this long. */
const FOREIGN_LEFTOVER_MS = 24 * 3_600_000

/**
 * Makes a workspace and removes those that crashed processes left behind.
 * @param folder holds one folder per process, named `HOST_PID_RANDOM`
 * @param now Unix milliseconds
 */
export async function openWorkspace(folder: string, now: number): Promise<Workspace> {
  await onDisk(fs.mkdir(folder, { recursive: true, mode: 0o700 }))
  await onDisk(removeLeftovers(folder, now))
  const own = path.join(folder, `${hostName()}_${process.pid}_${randomBytes(6).toString('hex')}`)
  await onDisk(fs.mkdir(own, { mode: 0o700 }))
  open.add(own)
  let count = 0
  return {
    path() {
      count += 1
      return path.join(own, String(count))
    },
    async close() {
      open.delete(own)
      await fs.rm(own, { recursive: true, force: true }).catch(() => {})
    },
  }
}

/** Workspaces that this very process has open; its pid says nothing about the others it may find. */
const open = new Set<string>()

async function removeLeftovers(folder: string, now: number): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    const full = path.join(folder, name)
    if (await isAbandoned(full, name, now)) await fs.rm(full, { recursive: true, force: true })
  }
}

async function isAbandoned(full: string, name: string, now: number): Promise<boolean> {
  const [host, pid] = name.split('_')
  if (host === hostName()) return Number(pid) === process.pid ? !open.has(full) : !isAlive(Number(pid))
  const stat = await fs.stat(full).catch(() => null)
  return stat !== null && now - stat.mtimeMs > FOREIGN_LEFTOVER_MS
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function hostName(): string {
  return os.hostname().replaceAll(/[^a-zA-Z0-9.-]/g, '-')
}

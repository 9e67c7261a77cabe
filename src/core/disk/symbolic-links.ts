import { lstatSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../errors.js'

/** The first symbolic link found below a folder, itself aside; null where there is none. What vanishes meanwhile is passed over. */
export async function linkBelow(folder: string): Promise<string | null> {
  const folders = [folder]
  for (let each = folders.pop(); each !== undefined; each = folders.pop()) {
    const entries = await fs.readdir(each, { withFileTypes: true }).catch(passOverVanished)
    for (const entry of entries) {
      const found = path.join(each, entry.name)
      if (entry.isSymbolicLink()) return found
      if (entry.isDirectory()) folders.push(found)
    }
  }
  return null
}

/**
 * For before something is written to, or removed from, a folder that held no symbolic link at the start: somebody may have
 * put one in its place since.
 * @throws AttestdError data-dir-unusable; ENOENT
 */
export async function requireFolder(folder: string): Promise<void> {
  // At once: it is asked before each small write, and the way through the thread pool costs more than the answer.
  if (lstatSync(folder).isDirectory()) return
  throw new AttestdError('data-dir-unusable', `${folder} is no folder any more: it was replaced while the daemon ran.`)
}

function passOverVanished(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw error
}

/** Whether a file that exists lies below a folder once every symbolic link on the way to either was followed. */
export async function staysBelow(folder: string, file: string): Promise<boolean> {
  const real = await fs.realpath(file).catch(() => null)
  // What is not there leads nowhere; whoever opens it reports it.
  return real === null || real.startsWith(`${await fs.realpath(folder)}${path.sep}`)
}

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readSync } from 'node:fs'
import fs, { type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { AttestdError, errorCode } from '../errors.js'

/** Longest text that `readTextNow` reads, bytes: settings and keys have a few thousand. */
const MAX_TEXT_BYTES = 1024 ** 2
/** How long a pipe is waited for that nobody has opened, and one whose writer writes nothing, such as a program that asks a person, ms. */
const ABSENT_MS = 2000
const SILENT_MS = 60_000
const PIPE_LOOK_MS = 20

/**
 * Opens a regular file for reading. A named pipe would be waited for until somebody writes to it, a device has no end.
 * @param flags in addition to those for reading, such as `O_NOFOLLOW`
 * @throws the system's error, or one that states what it is
 */
export async function openRegularFile(file: string, flags = 0): Promise<FileHandle> {
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK | flags)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw notRegular(file)
}

const notRegular = (file: string) => new Error(`${file} is a folder, a named pipe or a device, not a file`)

/** The same at once. @returns the descriptor, to be closed */
export function openRegularFileNow(file: string): number {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw notRegular(file)
}

/** The bytes of a regular file. @throws as `openRegularFile` */
export async function readRegularFile(file: string): Promise<Buffer> {
  const handle = await openRegularFile(file)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * The text of a file, or of a pipe, as a shell's `<(…)` is one. At once, but for a pipe that is not written yet.
 * @throws the system's error, or one that states what is wrong with it
 */
export function readTextNow(file: string, { absentMs = ABSENT_MS, silentMs = SILENT_MS } = {}): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const text = Buffer.alloc(MAX_TEXT_BYTES + 1)
  let [length, absent, silent] = [0, 0, 0]
  try {
    while (absent <= absentMs && silent <= silentMs) {
      const read = readReady(handle, text.subarray(length))
      length += read ?? 0
      if (length > MAX_TEXT_BYTES) throw new Error(`more than ${MAX_TEXT_BYTES} bytes`)
      // A pipe that nobody has opened yet seems to end, too.
      if (read === 0 && (length > 0 || !fstatSync(handle).isFIFO())) return text.toString('utf8', 0, length)
      if (read) continue
      if (read === 0) absent += PIPE_LOOK_MS
      else silent += PIPE_LOOK_MS
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PIPE_LOOK_MS)
    }
  } finally {
    closeSync(handle)
  }
  const nobody = `a pipe into which nobody wrote within ${absentMs / 1000} s`
  throw new Error(silent > silentMs ? `a pipe that was not written and closed within ${silentMs / 1000} s` : nobody)
}

/** @returns null where a pipe has no bytes yet */
function readReady(handle: number, into: Buffer): number | null {
  try {
    return readSync(handle, into)
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return null
    throw error
  }
}

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

/** The same for a folder to write to, which is made where none is, for this user alone. @throws AttestdError data-dir-unusable */
export async function requireOwnFolder(folder: string): Promise<void> {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await requireFolder(folder)
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

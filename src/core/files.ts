import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, type Stats, statSync, writeFile, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openRegularFile, openRegularFileNow } from './disk/plain-files.js'
import { succeeds } from './errors.js'

/** A path inside the installed package; `src/` and `dist/` have the same depth, so it holds for both. */
export const packagePath = (...parts: string[]): string =>
  path.join(fileURLToPath(new URL('../..', import.meta.url)), ...parts)

/**
 * The file to start a thread or a child process from. Node runs only the compiled file, so a caller that was loaded
 * from `src/` (the unit tests) gets its twin under `dist/`, which the test command builds first.
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path from the folder of the caller, without extension
 */
export function entryFile(importMetaUrl: string, name: string): string {
  const folder = path.dirname(fileURLToPath(importMetaUrl))
  const source = packagePath('src')
  const built = folder.startsWith(source) ? path.join(packagePath('dist'), path.relative(source, folder)) : folder
  return path.join(built, `${name}.js`)
}

/** Whether a file is there, and may be used as `mode` of `fs.access` states. */
export const isThere = (file: string, mode?: number): Promise<boolean> => succeeds(fs.access(file, mode))

interface WriteOptions {
  readonly mode?: number
  /** False for what can be made again: faster, but a power cut may leave it empty. */
  readonly flush?: boolean
}

export const writeOpen = promisify(writeFile)

/**
 * Writes data to a file and closes it. Only a write that waits for the disk goes through the thread pool: the way there
 * costs more than to write a small file.
 * @param flag as of `open`
 */
export async function writeTo(
  file: string,
  data: string | Uint8Array,
  flag: string | number,
  { mode = 0o600, flush = false }: WriteOptions,
): Promise<void> {
  const handle = openSync(file, flag, mode)
  try {
    if (flush) await writeOpen(handle, data, { flush })
    else writeFileSync(handle, data)
  } finally {
    closeSync(handle)
  }
}

/** Writes a whole file so that a reader sees the old or the new content, never a part, after a power cut too. */
export async function writeFileAtomic(
  file: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const { mode = 0o600, flush = true } = options
  const temporary = temporaryName(file)
  try {
    await writeTo(temporary, data, 'w', { mode, flush })
    renameSync(temporary, file)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}

/** Writes a whole file where none is; a killed writer leaves none. @throws the system's error, such as EEXIST */
export async function writeNewFile(file: string, data: string): Promise<void> {
  const temporary = temporaryName(file)
  try {
    await fs.writeFile(temporary, data, { mode: 0o600, flush: true })
    await fs.link(temporary, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw error
      // A file system without hard links.
      return fs.writeFile(file, data, { flag: 'wx', mode: 0o600, flush: true })
    })
  } finally {
    await fs.rm(temporary, { force: true })
  }
}

/** What is older than this, ms, and not finished, is of a process that was killed. */
export const UNFINISHED_MS = 60 * 60_000

/** Whether a file has a name under which one is written before it gets its own. */
export const isUnfinished = (file: string): boolean => TEMPORARY.test(file)

/** Removes what writers of a folder's files left unfinished before a time. @param before ms of the file system's own clock */
export async function removeUnfinished(folder: string, before: number): Promise<void> {
  for (const name of await fs.readdir(folder).catch(() => [])) {
    if (!isUnfinished(name)) continue
    const file = path.join(folder, name)
    const stat = await fs.lstat(file).catch(() => null)
    if (stat?.isFile() && stat.mtimeMs < before) await fs.rm(file, { force: true })
  }
}

/** What `temporaryName` gives. */
const TEMPORARY = /\.[0-9a-f]{12}\.tmp$/

const temporaryName = (file: string) => `${file}.${randomBytes(6).toString('hex')}.tmp`

export async function readFileIfPresent(file: string): Promise<Buffer | null> {
  try {
    return await fs.readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** sha256 (64 hex) of a file's bytes, read as a stream. @throws as `openRegularFile` */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  const handle = await openRegularFile(file)
  await pipeline(handle.createReadStream(), hash)
  return hash.digest('hex')
}

/**
 * Bytes of a file from an offset; fewer where it ends. Read at once: of a file that was just written this takes
 * microseconds, the ways through the thread pool half a millisecond.
 * @throws as `openRegularFile`
 */
export async function readAt(file: string, offset: number, length: number): Promise<Buffer> {
  const handle = openRegularFileNow(file)
  try {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(handle, buffer, 0, length, offset))
  } finally {
    closeSync(handle)
  }
}

/** Whether the last line of a file has no end: a power cut or a full disk leaves that. False where there is no file. */
export async function isTorn(file: string): Promise<boolean> {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  return size > 0 && (await readAt(file, size - 1, 1)).toString() !== '\n'
}

/**
 * The mode of a file that others than its owner may use, as it is written for chmod; null where nobody else may. A file that
 * root lets a group of this process read, and nobody write, was mounted for it by an orchestrator.
 */
export function modeOpenToOthers({ gid, mode, uid }: Pick<Stats, 'gid' | 'mode' | 'uid'>): string | null {
  const groups = [process.getegid?.(), ...(process.getgroups?.() ?? [])]
  const isMounted = uid === 0 && (mode & 0o777) === 0o440 && groups.includes(gid)
  return isMounted || (mode & 0o077) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0')
}

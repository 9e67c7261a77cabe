import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { requireFolder, requireOwnFolder } from '../core/disk/plain-files.js'
import { isUnfinished, readFileIfPresent, UNFINISHED_MS, writeFileAtomic } from '../core/files.js'

/** A file takes whole blocks of a disk, bytes. */
const BLOCK = 4096
/** Folders, by the first two hex digits of a name. Names are digests, which are spread evenly, so each gets the same share. */
const FOLDERS = 256
/** What is kept of a full folder, so that not each write lists it. */
const KEPT = 7 / 8

interface KeptFile {
  readonly path: string
  readonly bytes: number
  /** When it was written, Unix ms. */
  readonly at: number
}

/** Small files by names of hex digits, in no more bytes than stated: the oldest go first. */
export class VerdictFiles {
  readonly #root: string
  readonly #share: number
  /** Bytes by folder, of those that were written to. */
  readonly #held = new Map<string, number>()

  /** @param maxBytes what all of them take on disk */
  constructor(root: string, maxBytes: number) {
    this.#root = root
    this.#share = maxBytes / FOLDERS
  }

  /** Null where there is none, as for most assets: that alone is found without the thread pool. */
  async read(name: string): Promise<Buffer | null> {
    const file = path.join(this.#folderOf(name), name)
    return existsSync(file) ? readFileIfPresent(file) : null
  }

  async write(name: string, text: string): Promise<void> {
    const folder = this.#folderOf(name)
    const bytes = onDisk(Buffer.byteLength(text))
    const held = this.#held.get(folder)
    for (const each of [this.#root, folder]) await requireOwnFolder(each)
    if (held === undefined || held + bytes > this.#share) await this.#makeRoom(folder, bytes)
    await writeFileAtomic(path.join(folder, name), text, { flush: false })
    this.#held.set(folder, (this.#held.get(folder) ?? 0) + bytes)
  }

  /** Removes files older than `maxAgeMs`, those never finished, and the oldest of more than the bound. @param now Unix ms */
  async prune(maxAgeMs: number, now: number): Promise<void> {
    const entries = await fs.readdir(this.#root, { withFileTypes: true }).catch(() => [])
    if (entries.length > 0) await requireFolder(this.#root)
    for (const { name } of entries.filter((one) => one.isDirectory())) {
      const folder = path.join(this.#root, name)
      for (const file of await allFilesOf(folder)) {
        const limitMs = isUnfinished(file.path) ? Math.min(UNFINISHED_MS, maxAgeMs) : maxAgeMs
        if (now - file.at > limitMs) await fs.rm(file.path, { force: true })
      }
      await this.#makeRoom(folder, 0)
    }
  }

  /** Looks what a folder holds, and removes the oldest where so many bytes more would be too many. */
  async #makeRoom(folder: string, bytes: number): Promise<void> {
    const files = await filesOf(folder)
    let held = files.reduce((sum, file) => sum + file.bytes, 0)
    if (held + bytes > this.#share) {
      for (const file of files.toSorted((a, b) => a.at - b.at)) {
        if (held + bytes <= this.#share * KEPT) break
        await fs.rm(file.path, { force: true })
        held -= file.bytes
      }
    }
    this.#held.set(folder, held)
  }

  #folderOf(name: string): string {
    return path.join(this.#root, name.slice(0, 2))
  }
}

/** Those that are whole. */
async function filesOf(folder: string): Promise<KeptFile[]> {
  return (await allFilesOf(folder)).filter((file) => !isUnfinished(file.path))
}

async function allFilesOf(folder: string): Promise<KeptFile[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch(() => [])
  const files: KeptFile[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = path.join(folder, entry.name)
    // Another process may have renamed or removed it since.
    const stat = await fs.stat(file).catch(() => null)
    if (stat) files.push({ path: file, bytes: onDisk(stat.size), at: stat.mtimeMs })
  }
  return files
}

const onDisk = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK

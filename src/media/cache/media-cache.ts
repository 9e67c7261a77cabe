import { createReadStream, linkSync, lstatSync, renameSync, type Stats, statSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../core/clock.js'
import type { Log } from '../../core/log.js'
import { createContentHasher } from '../content-hash.js'
import type { OnMediaEvent } from '../media-event.js'
import type { ContentHashAlgorithm, FetchedMedia } from '../media-source.js'
import { openWorkspace, type Workspace } from './cache-workspace.js'
import { inFolderOf, onDisk, type Spooled } from './spool.js'

/** The cache's part of `MediaSourceOptions`; processes may share `folder`, in which each has its own workspace. */
export interface MediaCacheOptions {
  readonly folder: string
  /** The files together take no more than this, in-use ones aside. */
  readonly maxBytes: number
  readonly algorithm: ContentHashAlgorithm
  readonly clock: Clock
  readonly log: Log
  readonly onEvent: OnMediaEvent
}

interface Entry {
  bytes: number
  /** Unix milliseconds. */
  usedAt: number
  /** The access time that the file carries, Unix milliseconds. */
  stampedAt: number
  pins: number
  /** The state of the file when its bytes were last checked; another state means: check again. */
  checked?: FileState
}

type FileState = `${number} ${number} ${number}`

/** The folder is read again this often, since other processes may share it. */
const RESCAN_MS = 5 * 60_000
/** The access time of a file in use is written again this often, since restarts need the order of use only roughly. */
const STAMP_MS = 60_000

/**
 * Verified media by content hash. Several processes may share the folder: files appear by rename, and whoever uses one
 * holds a hard link of its own, so no eviction elsewhere can take it away. The least recently used go first.
 */
export class MediaCache {
  readonly #options: MediaCacheOptions
  readonly #files: string
  readonly #workspace: Workspace
  #entries = new Map<string, Entry>()
  #totalBytes = 0
  #scannedAt = Number.NEGATIVE_INFINITY

  private constructor(options: MediaCacheOptions, workspace: Workspace) {
    this.#options = options
    this.#files = path.join(options.folder, options.algorithm)
    this.#workspace = workspace
  }

  /** Opens the folder, making it if need be, and removes what crashed processes left. @throws AttestdError media-cache-failed */
  static async open(options: MediaCacheOptions): Promise<MediaCache> {
    await onDisk(() => fs.mkdir(path.join(options.folder, options.algorithm), { recursive: true, mode: 0o700 }))
    const workspace = await openWorkspace(path.join(options.folder, 'work'))
    const cache = new MediaCache(options, workspace)
    await onDisk(() => cache.#scan())
    await cache.#evict(options.maxBytes)
    return cache
  }

  temporaryFile(): string {
    return this.#workspace.path()
  }

  /**
   * Gives a cached file, checked by hash unless it is unchanged since the last check.
   * @param hash `0x` and 64 lower-case hex characters
   * @returns null where it is not cached, or was corrupt and has been removed
   * @throws AttestdError media-cache-failed
   */
  async acquire(hash: string): Promise<FetchedMedia | null> {
    const file = this.#fileOf(hash)
    // A symbolic link is no file of ours, wherever it leads. At once, see `requireFolder`.
    const stat = await onDisk(() => lstatSync(file, { throwIfNoEntry: false }))
    if (!stat?.isFile()) {
      this.#forget(hash)
      return null
    }
    const entry = this.#entry(hash, stat.size, stat.atimeMs)
    entry.pins += 1
    try {
      const state = stateOf(stat)
      if (entry.checked !== state && (await this.#hashOf(file)) !== hash) {
        await this.#dropCorrupt(hash, stat.size)
        return null
      }
      entry.checked = state
      return await this.#lease(file, entry, stat)
    } catch (error) {
      // Another process evicted it in between.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      return await onDisk(() => Promise.reject(error))
    } finally {
      entry.pins -= 1
    }
  }

  /** Takes in a verified download, which is gone where this throws, and keeps it until the hold is released. @throws AttestdError media-cache-failed */
  async commit({ file, digest }: Spooled): Promise<{ release(): void }> {
    const stat = await onDisk(() => statSync(file))
    const entry = this.#entry(digest, stat.size, stat.atimeMs)
    // Before the file is there, so that no eviction can take it away at once.
    entry.pins += 1
    try {
      const target = this.#fileOf(digest)
      await onDisk(() => inFolderOf(target, () => renameSync(file, target)))
    } catch (error) {
      entry.pins -= 1
      await fs.rm(file, { force: true }).catch(() => {})
      throw error
    }
    this.#totalBytes += stat.size - entry.bytes
    Object.assign(entry, { bytes: stat.size, stampedAt: stat.atimeMs, checked: stateOf(stat) })
    if (this.#options.clock.monotonic() - this.#scannedAt > RESCAN_MS) await this.#scan().catch(() => {})
    await this.#evict(this.#options.maxBytes)
    return { release: () => this.#unpin(entry) }
  }

  /** Frees about half of the cache, for when the disk is full. */
  async relieve(): Promise<void> {
    await this.#evict(this.#totalBytes / 2)
  }

  async close(): Promise<void> {
    await this.#workspace.close()
  }

  async #lease(file: string, entry: Entry, { mtime, size }: Stats): Promise<FetchedMedia> {
    const link = this.#workspace.path()
    try {
      linkSync(file, link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
      // A file system without hard links.
      await fs.copyFile(file, link)
    }
    const now = this.#options.clock.now()
    if (now - entry.stampedAt > STAMP_MS) {
      // The access time carries the order of use across restarts; the modification time must stay as it was checked.
      await fs.utimes(file, now / 1000, mtime).catch(() => {})
      entry.stampedAt = now
    }
    entry.pins += 1
    let released = false
    const release = () => {
      if (released) return
      released = true
      this.#unpin(entry)
      fs.unlink(link).catch(() => {})
    }
    return { file: link, bytes: size, release }
  }

  #unpin(entry: Entry): void {
    entry.pins -= 1
    void this.#evict(this.#options.maxBytes)
  }

  async #hashOf(file: string): Promise<string> {
    const hasher = createContentHasher(this.#options.algorithm)
    for await (const chunk of createReadStream(file)) await hasher.update(chunk as Uint8Array)
    return hasher.digest()
  }

  async #dropCorrupt(hash: string, bytes: number): Promise<void> {
    this.#forget(hash)
    await fs.rm(this.#fileOf(hash), { force: true })
    this.#options.log.warn({ contentHash: hash, bytes }, 'a corrupt file was removed from the media cache')
    this.#options.onEvent({ type: 'cache', outcome: 'corrupt', bytes })
  }

  /** Removes files, least recently used first, until the rest fits; never one that is in use here. */
  async #evict(targetBytes: number): Promise<void> {
    if (this.#totalBytes <= targetBytes) return
    const byAge = [...this.#entries].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    for (const [hash, entry] of byAge) {
      if (this.#totalBytes <= targetBytes) return
      if (entry.pins > 0 || this.#entries.get(hash) !== entry) continue
      this.#forget(hash)
      try {
        await fs.rm(this.#fileOf(hash), { force: true })
        this.#options.onEvent({ type: 'cache', outcome: 'evicted', bytes: entry.bytes })
      } catch (error) {
        this.#options.log.warn({ err: error, contentHash: hash }, 'a file could not be removed from the media cache')
      }
    }
  }

  /** Rebuilds the index from the folder, keeping what is known of each file. */
  async #scan(): Promise<void> {
    this.#scannedAt = this.#options.clock.monotonic()
    // With types, because without them symbolic links to folders are followed.
    for (const { name, parentPath } of await fs.readdir(this.#files, { recursive: true, withFileTypes: true })) {
      const hash = `0x${name}`
      if (!/^0x[0-9a-f]{64}$/.test(hash)) continue
      const stat = await fs.lstat(path.join(parentPath, name)).catch(() => null)
      if (stat?.isFile() && !this.#entries.has(hash)) {
        this.#add(hash, { bytes: stat.size, usedAt: stat.atimeMs, stampedAt: stat.atimeMs, pins: 0 })
      }
    }
  }

  /** @param stampedAt the access time of the file, Unix milliseconds */
  #entry(hash: string, bytes: number, stampedAt: number): Entry {
    const entry = this.#entries.get(hash) ?? this.#add(hash, { bytes, usedAt: 0, stampedAt, pins: 0 })
    entry.usedAt = this.#options.clock.now()
    return entry
  }

  #add(hash: string, entry: Entry): Entry {
    this.#entries.set(hash, entry)
    this.#totalBytes += entry.bytes
    return entry
  }

  #forget(hash: string): void {
    this.#totalBytes -= this.#entries.get(hash)?.bytes ?? 0
    this.#entries.delete(hash)
  }

  #fileOf(hash: string): string {
    const hex = hash.slice(2)
    return path.join(this.#files, hex.slice(0, 2), hex)
  }
}

/** Whole milliseconds survive `utimes`. A file system that keeps fewer costs another check. */
const stateOf = ({ ino, mtimeMs, size }: Stats): FileState => `${size} ${Math.round(mtimeMs)} ${ino}`

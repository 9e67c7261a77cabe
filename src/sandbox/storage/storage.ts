import path from 'node:path'
import type { Clock } from '../../core/clock.js'
import { DirectoryLock } from '../../core/disk/directory-lock.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { readFileIfPresent, removeUnfinished, writeFileAtomic } from '../../core/files.js'
import { jsonIn } from '../../core/text.js'
import { issueText } from '../../service/shape-text.js'
import { randomHex } from '../books/key-ring.js'
import { type KeptBooks, type KeptState, keptStateSchema, newState } from './kept-state.js'

/** Where a state is kept, for as long as the lock is held. */
interface OpenFolder {
  readonly stateFile: string
  /** Of the blocks. */
  readonly mediaDirectory: string
  readonly lock: DirectoryLock
}

/** What was there when a sandbox started, and where its changes go: with a folder, each outlives the process. */
export class Storage {
  /** As it was at the start. */
  readonly state: KeptState
  readonly #folder: OpenFolder | null
  #changes = 1
  #saved = 0
  #writing: Promise<void> | null = null

  private constructor(state: KeptState, folder: OpenFolder | null) {
    this.state = state
    this.#folder = folder
  }

  /** Keeps nothing: the state ends with the process. */
  static inMemory(): Storage {
    return new Storage(newState(''), null)
  }

  /**
   * Opens a folder for one sandbox alone, and makes it, for its owner only, where it is not there. It holds `state.json`
   * (secrets and books) and `media` (blocks). Faults, the skew of the clock, counts of requests, attempts and challenges
   * are not kept.
   * @throws AttestdError sandbox-data-invalid where it cannot be read, data-dir-unusable where it cannot be used
   */
  static async open(folder: string, clock: Clock): Promise<Storage> {
    const lock = await lockFolder(folder, clock)
    const opened = { stateFile: path.join(folder, 'state.json'), mediaDirectory: path.join(folder, 'media'), lock }
    try {
      // The holder of the lock is the only writer: unfinished files are those of a killed one.
      for (const each of [folder, opened.mediaDirectory]) await removeUnfinished(each, Number.POSITIVE_INFINITY)
      const state = (await readState(opened.stateFile)) ?? newState(randomHex(16))
      const storage = new Storage(state, opened)
      await storage.save(() => state.books)
      return storage
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  get mediaDirectory(): string | null {
    return this.#folder?.mediaDirectory ?? null
  }

  touch(): void {
    this.#changes++
  }

  /**
   * Resolves when every change so far outlives the process: the whole state is written once for all changes that came
   * while the last one was being written.
   * @throws AttestdError data-dir-unusable
   */
  async save(books: () => KeptBooks): Promise<void> {
    if (this.#folder === null) return
    const wanted = this.#changes
    while (this.#saved < wanted) {
      this.#writing ??= this.#write(this.#folder.stateFile, books)
      await this.#writing
    }
  }

  async close(): Promise<void> {
    await this.#folder?.lock.release()
  }

  async #write(file: string, books: () => KeptBooks): Promise<void> {
    const at = this.#changes
    try {
      await writeFileAtomic(file, JSON.stringify({ ...this.state, books: books() }))
      this.#saved = at
    } catch (error) {
      throw unusable(`${file} cannot be written: ${errorText(error)}`, error)
    } finally {
      this.#writing = null
    }
  }
}

async function lockFolder(folder: string, clock: Clock): Promise<DirectoryLock> {
  try {
    await makeFolder(folder, 0o700)
  } catch (error) {
    throw unusable(`${folder} cannot be created: ${errorText(error)}`, error)
  }
  return DirectoryLock.take(
    folder,
    (who) => unusable(`${folder} is already open in ${who}; only one sandbox can use it.`),
    clock,
  )
}

async function readState(file: string): Promise<KeptState | null> {
  const bytes = await readFileIfPresent(file)
  if (bytes === null) return null
  const parsed = keptStateSchema.safeParse(jsonIn(bytes.toString('utf8')))
  if (parsed.success) return parsed.data
  throw new AttestdError(
    'sandbox-data-invalid',
    `${file} cannot be read, ${issueText(parsed.error)}. Nothing was changed.`,
  )
}

const unusable = (message: string, cause?: unknown): AttestdError =>
  new AttestdError('data-dir-unusable', message, { cause })

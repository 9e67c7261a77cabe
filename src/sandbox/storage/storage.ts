import path from 'node:path'
import type { Clock } from '../../core/clock.js'
import { DirectoryLock } from '../../core/disk/directory-lock.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { readFileIfPresent, removeUnfinished, writeFileAtomic } from '../../core/files.js'
import { jsonIn } from '../../core/text.js'
import { issueText } from '../../service/issue-text.js'
import type { RandomBytes } from '../books/key-ring.js'
import type { SandboxOptions } from '../sandbox-options.js'
import { EMPTY_BOOKS, type Identity, type KeptBooks, type KeptState, KeptStateSchema } from './kept-state.js'

/** Where the state of a sandbox goes, and what was there when it started. */
export interface Storage {
  readonly kept: KeptBooks
  /** Folder of the media; null: in memory. */
  readonly mediaDirectory: string | null
  /** The options, with what the folder holds for those that are absent. */
  complete(options: SandboxOptions): SandboxOptions
  /** The books changed. */
  touch(): void
  /** Resolves when every change so far outlives the process. @throws AttestdError data-dir-unusable */
  save(books: () => KeptBooks): Promise<void>
  close(): Promise<void>
}

/** Keeps nothing: the state ends with the process. */
export const memoryStorage: Storage = {
  kept: EMPTY_BOOKS,
  mediaDirectory: null,
  complete: (options) => options,
  touch: () => {},
  save: async () => {},
  close: async () => {},
}

/**
 * Opens a folder for one sandbox alone, and makes it, for its owner only, where it is not there. It holds `state.json`
 * (secrets and books) and `media` (blocks). Faults, the skew of the clock, counts of requests, attempts and challenges
 * are not kept.
 * @throws AttestdError sandbox-data-invalid where it cannot be read, data-dir-unusable where it cannot be used
 */
export async function openStorage(folder: string, random: RandomBytes, clock: Clock): Promise<Storage> {
  const lock = await lockFolder(folder, clock)
  const mediaDirectory = path.join(folder, 'media')
  try {
    // The holder of the lock is the only writer: unfinished files are those of a killed one.
    for (const each of [folder, mediaDirectory]) await removeUnfinished(each, Number.POSITIVE_INFINITY)
    const file = path.join(folder, 'state.json')
    const state = (await readState(file, folder)) ?? newState(random)
    const snapshots = new Snapshots(file, state.identity)
    await snapshots.save(() => state.books)
    return {
      kept: state.books,
      mediaDirectory,
      complete: (options) => completed(options, state.identity),
      touch: () => snapshots.touch(),
      save: (books) => snapshots.save(books),
      close: () => lock.release(),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Writes the whole state, once for all changes that came while the last one was being written. */
class Snapshots {
  #changes = 1
  #saved = 0
  #writing: Promise<void> | null = null

  constructor(
    readonly file: string,
    readonly identity: Identity,
  ) {}

  touch(): void {
    this.#changes++
  }

  async save(books: () => KeptBooks): Promise<void> {
    const wanted = this.#changes
    while (this.#saved < wanted) {
      this.#writing ??= this.#write(books)
      await this.#writing
    }
  }

  async #write(books: () => KeptBooks): Promise<void> {
    const at = this.#changes
    const state: KeptState = { version: 2, identity: this.identity, books: books() }
    try {
      await writeFileAtomic(this.file, JSON.stringify(state))
      this.#saved = at
    } catch (error) {
      throw unusable(`${this.file} cannot be written: ${errorText(error)}`, error)
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

async function readState(file: string, folder: string): Promise<KeptState | null> {
  const bytes = await readFileIfPresent(file)
  if (bytes === null) {
    if ((await readFileIfPresent(path.join(folder, 'journal.jsonl'))) === null) return null
    throw new AttestdError(
      'sandbox-data-invalid',
      `${folder} is of an earlier version of attestd. Nothing was changed.`,
    )
  }
  const parsed = KeptStateSchema.safeParse(jsonIn(bytes.toString('utf8')))
  if (parsed.success) return parsed.data
  throw new AttestdError(
    'sandbox-data-invalid',
    `${file} cannot be read, ${issueText(parsed.error)}. Nothing was changed.`,
  )
}

function newState(random: RandomBytes): KeptState {
  const hex = (size: number) => Buffer.from(random(size)).toString('hex')
  const identity: Identity = {
    run: hex(16),
    sessionToken: `dev_${hex(16)}`,
    sessionSecret: hex(32),
    attesterKey: { accessKey: `ak_att_${hex(12)}`, signingSecret: `sk_${hex(32)}` },
    submitterKey: { accessKey: `ak_sub_${hex(12)}`, signingSecret: `sk_${hex(32)}` },
    wallets: { attester: `0x${hex(32)}`, submitter: `0x${hex(32)}` },
  }
  return { version: 2, identity, books: EMPTY_BOOKS }
}

/** What is given goes before what was kept. */
function completed(options: SandboxOptions, identity: Identity): SandboxOptions {
  return { ...identity, ...options, wallets: { ...identity.wallets, ...options.wallets } }
}

const unusable = (message: string, cause?: unknown): AttestdError =>
  new AttestdError('data-dir-unusable', message, { cause })

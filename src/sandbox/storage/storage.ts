import path from 'node:path'
import type { Clock } from '../../core/clock.js'
import { DirectoryLock } from '../../core/disk/directory-lock.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { removeUnfinished } from '../../core/files.js'
import type { Log } from '../../core/log.js'
import type { RandomBytes } from '../books/key-ring.js'
import type { SandboxOptions } from '../sandbox-options.js'
import { type Identity, openIdentity } from './identity.js'
import { Journal } from './journal.js'
import type { JournalEntry } from './journal-entry.js'
import { KeptState } from './kept-state.js'

/** Where the state of a sandbox goes, and what was there when it started. */
export interface Storage {
  readonly kept: KeptState
  /** The options, with what the folder holds for those that are absent. */
  complete(options: SandboxOptions): SandboxOptions
  /** Returns when the entry outlives the process. @throws AttestdError data-dir-unusable */
  append(entry: JournalEntry): void
  close(): Promise<void>
}

/** Keeps nothing: the state ends with the process. */
export const memoryStorage: Storage = {
  kept: new KeptState(),
  complete: (options) => options,
  append: () => {},
  close: async () => {},
}

/**
 * Opens a folder for one sandbox alone, and makes it, for its owner only, where it is not there. It holds
 * `identity.json` (keys and secrets), `journal.jsonl` (assets, scores, keys, stake, roles) and `media` (blocks).
 * Faults, the skew of the clock, counts of requests, attempts and challenges are not kept.
 * @throws AttestdError sandbox-data-invalid where it cannot be read, data-dir-unusable where it cannot be used
 */
export async function openStorage(folder: string, random: RandomBytes, clock: Clock, log: Log): Promise<Storage> {
  const lock = await lockFolder(folder, clock)
  try {
    // Whoever holds the folder is its only writer: what is unfinished is of one that was killed.
    for (const each of [folder, mediaOf(folder)]) await removeUnfinished(each, Number.POSITIVE_INFINITY)
    const identity = await openIdentity(path.join(folder, 'identity.json'), random)
    const { journal, kept, torn } = await Journal.open(path.join(folder, 'journal.jsonl'))
    if (torn) log.warn({ folder }, 'the last line of the journal was incomplete and was dropped')
    return {
      kept,
      complete: (options) => completed(options, identity, mediaOf(folder)),
      append: (entry) => journal.append(entry),
      close: async () => {
        journal.close()
        await lock.release()
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function lockFolder(folder: string, clock: Clock): Promise<DirectoryLock> {
  try {
    await makeFolder(folder, 0o700)
  } catch (error) {
    throw new AttestdError('data-dir-unusable', `${folder} cannot be created: ${errorText(error)}`, { cause: error })
  }
  return DirectoryLock.take(
    folder,
    (who) => new AttestdError('data-dir-unusable', `${folder} is already open in ${who}; only one sandbox can use it.`),
    clock,
  )
}

const mediaOf = (folder: string) => path.join(folder, 'media')

/** What is given goes before what was kept. */
function completed(options: SandboxOptions, identity: Identity, mediaDirectory: string): SandboxOptions {
  const { run, sessionToken, sessionSecret, attesterKey, submitterKey, wallets } = identity
  return {
    mediaDirectory,
    run,
    sessionToken,
    sessionSecret,
    attesterKey,
    submitterKey,
    ...options,
    wallets: { ...wallets, ...options.wallets },
  }
}

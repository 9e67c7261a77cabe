import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.js'
import type { AttestdError } from '../errors.js'
import { readFileIfPresent, writeNewFile } from '../files.js'
import { readJson } from '../text.js'
import { startRepeating } from '../time-limit.js'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js'
import { storageError } from './storage-error.js'

const Holder = z.object({ pid: z.int().positive(), started: z.string(), scope: z.string() })

/** Makes the error for a directory that is held. @param who the holder in words, for instance `process 42` */
export type InUse = (who: string) => AttestdError

/** How often the holder shows that it lives, milliseconds. */
export const BEAT_MS = 3000
/** A holder of another host or container that showed nothing for this long is taken for dead, milliseconds. */
const SILENCE_MS = 15_000
/** Rounds of losing a free directory to another process before giving up. */
const MAX_ROUNDS = 8

/**
 * The right to use a directory alone, where two processes on one directory would silently lose writes. A lock of a
 * killed process is taken over: at once where its pid can be looked up, else after silence. No clock of two hosts is compared.
 *
 * The lock is the file `lock.N` with the highest N, and N only grows: a taker makes the next file, which only one can,
 * and then looks whether a higher one exists. Removing a stale file instead would let a slow second taker remove the
 * fresh one of the first. So a released lock stays, emptied, and the next taker removes it.
 */
export class DirectoryLock {
  /** Resolves when the lock was taken away, which ends the right to go on. */
  readonly lost: Promise<Error>
  readonly #dir: string
  readonly #number: number
  /** What the file holds: this holding's own, by its token. */
  readonly #text: string
  readonly #clock: Clock
  readonly #stopBeats: () => void
  #reportLost: (error: Error) => void = () => {}
  #released = false

  /**
   * @param inUse the error to throw while another process, or this one, holds the directory; `who` names the holder
   * @throws what `inUse` makes, or `data-dir-unusable`
   */
  static async take(dir: string, inUse: InUse, clock: Clock): Promise<DirectoryLock> {
    const text = JSON.stringify({ ...(await ownIdentity()), token: randomUUID() })
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const highest = Math.max(0, ...(await lockNumbers(dir)))
      const file = fileOf(dir, highest)
      const holder = await holderIn(file)
      if (holder && ((await isAlive(holder)) ?? (await beats(file, clock)))) {
        throw inUse(holder.pid === process.pid ? 'this process' : `process ${holder.pid}`)
      }
      if (await claim(dir, highest + 1, text)) return new DirectoryLock(dir, highest + 1, text, clock)
    }
    throw inUse('other processes that try as well')
  }

  private constructor(dir: string, number: number, text: string, clock: Clock) {
    this.#dir = dir
    this.#number = number
    this.#text = text
    this.#clock = clock
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve
    })
    this.#stopBeats = startRepeating(clock, BEAT_MS, () => void this.#beat())
  }

  /** Gives the directory back, unless it was taken away. */
  async release(): Promise<void> {
    this.#released = true
    this.#stopBeats()
    if (await this.#isOurs()) await fs.truncate(fileOf(this.#dir, this.#number))
  }

  async #beat(): Promise<void> {
    if (await this.#isOurs()) {
      const now = new Date(this.#clock.now())
      await fs.utimes(fileOf(this.#dir, this.#number), now, now).catch(() => {})
      return
    }
    this.#stopBeats()
    if (this.#released) return
    const file = fileOf(this.#dir, this.#number)
    this.#reportLost(new Error(`the lock ${file} was taken away: it was removed, or another process took it over`))
  }

  /** A directory that cannot be read for a moment is no proof of a loss. */
  async #isOurs(): Promise<boolean> {
    try {
      if (Math.max(0, ...(await lockNumbers(this.#dir))) !== this.#number) return false
      return (await fs.readFile(fileOf(this.#dir, this.#number), 'utf8')) === this.#text
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT'
    }
  }
}

const fileOf = (dir: string, number: number): string => path.join(dir, `lock.${number}`)

async function lockNumbers(dir: string): Promise<number[]> {
  const names = await fs.readdir(dir)
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number)
}

/** Makes the file of that number and removes the ones before it. @returns false where another process was faster */
async function claim(dir: string, number: number, text: string): Promise<boolean> {
  const file = fileOf(dir, number)
  try {
    await writeNewFile(file, text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw storageError(`The lock ${file} cannot be written: ${message}`, error)
  }
  const numbers = await lockNumbers(dir)
  // This number may have been used and removed while we looked at an older state.
  const superseded = numbers.some((other) => other > number)
  const outdated = superseded ? [number] : numbers.filter((other) => other < number)
  await Promise.all(outdated.map((other) => fs.rm(fileOf(dir, other), { force: true })))
  return !superseded
}

/** Null where nobody holds it: absent, released, or debris. @throws AttestdError data-dir-unusable for one of another user */
async function holderIn(file: string): Promise<ProcessIdentity | null> {
  const text = await readFileIfPresent(file).catch((error: Error) => {
    throw storageError(`The lock ${file} cannot be read: ${error.message}`, error)
  })
  return readJson(Holder, String(text))
}

/** Watches for a sign of life. Only changes count, because the clocks of two hosts may differ. */
async function beats(file: string, clock: Clock): Promise<boolean> {
  const modifiedAt = async () => (await fs.stat(file).catch(() => null))?.mtimeMs
  const first = await modifiedAt()
  for (let waited = 0; waited < SILENCE_MS; waited += BEAT_MS) {
    await clock.sleep(BEAT_MS)
    if ((await modifiedAt()) !== first) return true
  }
  return false
}

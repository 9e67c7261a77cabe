import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.js'
import type { AttestdError } from '../errors.js'
import { readFileIfPresent } from '../files.js'
import { startRepeating } from '../time-limit.js'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js'
import { storageError } from './storage-error.js'

const Holder = z.object({
  pid: z.number().int().positive(),
  started: z.string(),
  scope: z.string(),
  /** Distinguishes one holding from the next, also of the same process. */
  token: z.string().min(1),
})
type Holder = z.infer<typeof Holder>

const Written = z.union([Holder, z.object({ released: z.literal(true) })])
const RELEASED = JSON.stringify({ released: true })

/** By default a beat every 3 s, and a silence of 15 s; tests pass shorter ones. */
export interface LockTimes {
  /** How often the holder shows that it lives, milliseconds. */
  readonly beatMs: number
  /** A holder of another host or container that showed nothing for this long is taken for dead, milliseconds. */
  readonly silenceMs: number
}

/** Makes the error for a directory that is held. @param who the holder in words, for instance `process 42` */
export type InUse = (who: string) => AttestdError

const DEFAULT_TIMES: LockTimes = { beatMs: 3000, silenceMs: 15_000 }
/** Rounds of losing a free directory to another process before giving up. */
const MAX_ROUNDS = 8
/** A lock file is written in one go right after it is made; one that stays unreadable for longer is debris. */
const HALF_WRITTEN_MS = 500

/**
 * The right to use a directory alone, where two processes on one directory would silently lose writes. A lock of a
 * killed process is taken over: at once where its pid can be looked up, else after silence.
 *
 * The lock is the file `lock.N` with the highest N, and N only grows: a taker makes the next file, which only one can,
 * and then looks whether a higher one exists. Removing a stale file instead would let a slow second taker remove the
 * fresh one of the first. So a released lock stays, marked as such, and the next taker removes it.
 */
export class DirectoryLock {
  /** Resolves when the lock was taken away, which ends the right to go on. */
  readonly lost: Promise<Error>
  readonly #dir: string
  readonly #number: number
  readonly #token: string
  readonly #clock: Clock
  readonly #stopBeats: () => void
  #reportLost: (error: Error) => void = () => {}
  #released = false

  /**
   * @param inUse the error to throw while another process, or this one, holds the directory; `who` names the holder
   * @throws what `inUse` makes, or `data-dir-unusable`
   */
  static async take(dir: string, inUse: InUse, clock: Clock, times: LockTimes = DEFAULT_TIMES): Promise<DirectoryLock> {
    const own: Holder = { ...(await ownIdentity()), token: randomUUID() }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const highest = Math.max(0, ...(await lockNumbers(dir)))
      const holder = highest > 0 ? await readHolder(fileOf(dir, highest), clock) : null
      if (holder && (await isHeld(fileOf(dir, highest), holder, clock, times))) throw inUse(nameOf(holder))
      if (await claim(dir, highest + 1, own)) return new DirectoryLock(dir, highest + 1, own.token, clock, times)
    }
    throw inUse('other processes that try as well')
  }

  private constructor(dir: string, number: number, token: string, clock: Clock, { beatMs }: LockTimes) {
    this.#dir = dir
    this.#number = number
    this.#token = token
    this.#clock = clock
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve
    })
    this.#stopBeats = startRepeating(clock, beatMs, () => void this.#beat())
  }

  /** Gives the directory back, unless it was taken away. */
  async release(): Promise<void> {
    this.#released = true
    this.#stopBeats()
    if (await this.#isOurs()) await fs.writeFile(fileOf(this.#dir, this.#number), RELEASED)
  }

  async #beat(): Promise<void> {
    if (await this.#isOurs()) {
      const now = new Date(this.#clock.now())
      await fs.utimes(fileOf(this.#dir, this.#number), now, now).catch(() => {})
      return
    }
    this.#stopBeats()
    if (!this.#released) this.#reportLost(new Error('the lock of the directory was taken away'))
  }

  /** A directory that cannot be read for a moment is no proof of a loss. */
  async #isOurs(): Promise<boolean> {
    try {
      if (Math.max(0, ...(await lockNumbers(this.#dir))) !== this.#number) return false
      const holder = await readHolder(fileOf(this.#dir, this.#number), this.#clock)
      return holder?.token === this.#token
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT'
    }
  }
}

function fileOf(dir: string, number: number): string {
  return path.join(dir, `lock.${number}`)
}

async function lockNumbers(dir: string): Promise<number[]> {
  const names = await fs.readdir(dir)
  return names.flatMap((name) => /^lock\.(\d{1,15})$/.exec(name)?.[1] ?? []).map(Number)
}

/** Makes the file of that number and removes the ones before it. @returns false where another process was faster */
async function claim(dir: string, number: number, own: Holder): Promise<boolean> {
  const file = fileOf(dir, number)
  try {
    await fs.writeFile(file, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
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

/** @returns null where nobody holds it: released, gone, or debris of a process that died while it wrote */
async function readHolder(file: string, clock: Clock): Promise<Holder | null> {
  for (const waitMs of [HALF_WRITTEN_MS, 0]) {
    const text = await readFileIfPresent(file)
    if (text === null) return null
    const written = parse(text.toString())
    if (written) return 'released' in written ? null : written
    await clock.sleep(waitMs)
  }
  return null
}

function parse(text: string): z.infer<typeof Written> | null {
  try {
    return Written.parse(JSON.parse(text))
  } catch {
    return null
  }
}

async function isHeld(file: string, holder: ProcessIdentity, clock: Clock, times: LockTimes): Promise<boolean> {
  const alive = await isAlive(holder)
  return alive ?? (await beatsWithin(file, clock, times))
}

/** Watches for a sign of life. Only changes count, because the clocks of two hosts may differ. */
async function beatsWithin(file: string, clock: Clock, { beatMs, silenceMs }: LockTimes): Promise<boolean> {
  const first = await modifiedAt(file)
  for (let waited = 0; waited < silenceMs; waited += beatMs) {
    await clock.sleep(beatMs)
    if ((await modifiedAt(file)) !== first) return true
  }
  return false
}

async function modifiedAt(file: string): Promise<number | null> {
  return fs.stat(file).then(
    (stat) => stat.mtimeMs,
    () => null,
  )
}

function nameOf({ pid }: ProcessIdentity): string {
  return pid === process.pid ? 'this process' : `process ${pid}`
}

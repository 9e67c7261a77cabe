import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js'

const Holder = z.object({
  pid: z.number().int().positive(),
  started: z.string(),
  scope: z.string(),
  /** Tells one holding from the next, also of the same process. */
  token: z.string().min(1),
})
type Holder = z.infer<typeof Holder>

export interface LockTimes {
  /** How often the holder shows that it lives, milliseconds. */
  readonly beatMs: number
  /** A holder of another host or container that showed nothing for this long is taken for dead, milliseconds. */
  readonly silenceMs: number
}

const DEFAULT_TIMES: LockTimes = { beatMs: 3000, silenceMs: 15_000 }
/** Rounds of finding a stale lock and losing it to another process before giving up. */
const MAX_ROUNDS = 5
/** A lock file is written in one go right after it is made; one that stays unreadable for longer is debris. */
const HALF_WRITTEN_MS = 500

/**
 * The right to use a directory alone. PGlite takes no lock of its own, and two processes on one database silently lose
 * writes. A lock of a killed process is taken over: at once where its pid can be looked up, else after silence.
 */
export class DirectoryLock {
  /** Resolves when the lock was taken away, which ends the right to go on. */
  readonly lost: Promise<Error>
  readonly #file: string
  readonly #token: string
  readonly #timer: NodeJS.Timeout
  #tellLost: (error: Error) => void = () => {}
  #released = false

  /** @throws `queue-in-use` while another process, or this one, holds the directory */
  static async take(dir: string, times: LockTimes = DEFAULT_TIMES): Promise<DirectoryLock> {
    const file = path.join(dir, 'lock')
    const own: Holder = { ...(await ownIdentity()), token: randomUUID() }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (await create(file, own)) return new DirectoryLock(file, own.token, times)
      const found = await readHolder(file)
      if (found === 'absent') continue
      if (found !== 'unreadable' && (await isHeld(file, found, times))) throw inUse(dir, found)
      await clearStale(file, found, dir)
    }
    throw new AttestdError('queue-in-use', `The embedded queue in ${dir} could not be locked: others try as well.`)
  }

  private constructor(file: string, token: string, { beatMs }: LockTimes) {
    this.#file = file
    this.#token = token
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve
    })
    this.#timer = setInterval(() => void this.#beat(), beatMs)
    this.#timer.unref()
  }

  /** Gives the directory back, unless it was taken away. */
  async release(): Promise<void> {
    this.#released = true
    clearInterval(this.#timer)
    if (await this.#isOurs()) await fs.rm(this.#file, { force: true })
  }

  async #beat(): Promise<void> {
    if (await this.#isOurs()) {
      const now = new Date()
      await fs.utimes(this.#file, now, now).catch(() => {})
      return
    }
    clearInterval(this.#timer)
    if (!this.#released) this.#tellLost(new Error('the lock of the queue directory was taken away'))
  }

  async #isOurs(): Promise<boolean> {
    const holder = await readHolder(this.#file)
    return typeof holder === 'object' && holder.token === this.#token
  }
}

/** @returns false where a lock file is there already */
async function create(file: string, own: Holder): Promise<boolean> {
  try {
    await fs.writeFile(file, JSON.stringify(own), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw new AttestdError('data-dir-unusable', `The lock ${file} cannot be written: ${message}`, { cause: error })
  }
}

async function readHolder(file: string): Promise<Holder | 'absent' | 'unreadable'> {
  for (const waitMs of [HALF_WRITTEN_MS, 0]) {
    const text = await readOrNull(file)
    if (text === null) return 'absent'
    const holder = parseHolder(text)
    if (holder) return holder
    await sleep(waitMs)
  }
  return 'unreadable'
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await fs.readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new AttestdError('data-dir-unusable', `The lock ${file} cannot be read.`, { cause: error })
  }
}

function parseHolder(text: string): Holder | null {
  try {
    return Holder.parse(JSON.parse(text))
  } catch {
    return null
  }
}

async function isHeld(file: string, holder: ProcessIdentity, times: LockTimes): Promise<boolean> {
  const alive = await isAlive(holder)
  return alive ?? (await beatsWithin(file, times))
}

/** Watches for a sign of life. Only changes count, because the clocks of two hosts may differ. */
async function beatsWithin(file: string, { beatMs, silenceMs }: LockTimes): Promise<boolean> {
  const first = await modifiedAt(file)
  for (let waited = 0; waited < silenceMs; waited += beatMs) {
    await sleep(beatMs)
    const now = await modifiedAt(file)
    if (now !== first) return now !== null
  }
  return false
}

async function modifiedAt(file: string): Promise<number | null> {
  return fs.stat(file).then(
    (stat) => stat.mtimeMs,
    () => null,
  )
}

/**
 * Moves a stale lock out of the way. Two processes may find the same one: whoever moves second would move the fresh lock
 * of the first, so what was moved is looked at, and a live lock is put back.
 */
async function clearStale(file: string, stale: Holder | 'unreadable', dir: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`
  try {
    await fs.rename(file, aside)
  } catch {
    // Another process was faster.
    return
  }
  const moved = await readHolder(aside)
  const wrong = typeof moved === 'object' && (stale === 'unreadable' || moved.token !== stale.token)
  if (wrong) await fs.link(aside, file).catch(() => {})
  await fs.rm(aside, { force: true })
  if (wrong) throw inUse(dir, moved)
}

function inUse(dir: string, { pid }: ProcessIdentity): AttestdError {
  const who = pid === process.pid ? 'this process' : `process ${pid}`
  return new AttestdError(
    'queue-in-use',
    `The embedded queue in ${dir} is already open in ${who}, and one process owns it. ` +
      'For several processes set ATTESTD_QUEUE_URL to redis://HOST:6379; to use a second queue give it another ATTESTD_DATA_DIR.',
    { facts: { pid } },
  )
}

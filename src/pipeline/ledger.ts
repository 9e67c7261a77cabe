import { statSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { requireFolder, requireOwnFolder } from '../core/disk/plain-files.js'
import { errorCode } from '../core/errors.js'
import { isTorn, readFileIfPresent, writeTo } from '../core/files.js'
import { MEDIA_TYPES } from '../core/media-types.js'
import { storedRisk } from '../core/risk.js'
import { readJson } from '../core/text.js'
import { EVEN_ODDS } from '../detect/package/calibration-schema.js'
import { verdict } from './jobs.js'
import { decision } from './review.js'

const common = {
  /** Local Unix ms. */
  at: z.number(),
  assetId: z.string(),
  title: z.string(),
  /** Null where neither the service nor the bytes stated. */
  mediaType: z.enum(MEDIA_TYPES).nullable(),
  contentHash: z.string(),
  uri: z.string(),
}

const ledgerEntry = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('verdict'),
    mediaType: z.enum(MEDIA_TYPES),
    ...verdict.shape,
    cached: z.boolean(),
  }),
  z.object({
    ...common,
    kind: z.literal('shadow'),
    algorithm: z.string(),
    detectorDigest: z.string(),
    /** Of the shadow; never submitted. */
    risk: storedRisk,
    rawScore: z.number(),
    /** Of what was measured for submission. */
    submittedRisk: storedRisk,
    agrees: z.boolean(),
    wouldChange: z.boolean(),
    elapsedMs: z.number(),
  }),
  z.object({ ...common, kind: z.literal('abstained'), reason: z.string(), message: z.string() }),
  z.object({
    ...common,
    kind: z.literal('receipt'),
    outcome: z.enum(['accepted', 'confirmed', 'foreign', 'closed']),
    /** Of a foreign score its own. */
    risk: storedRisk,
    /** Of a foreign score its own label; null where the service does not show it. */
    algorithm: z.string().nullable(),
    scoreId: z.string().nullable(),
    /** See `Detection`. */
    expectedShare: z.number().default(EVEN_ODDS),
    openToRecordMs: z.number(),
    /** What was submitted, where another daemon analyzed the asset: its line of the verdict is in another ledger. */
    verdict: verdict.optional(),
    /** Where a person decided: whose score it is, as the console knows the user, when (Unix ms), and why. */
    decision: decision.optional(),
  }),
  z.object({ ...common, kind: z.literal('failed'), queue: z.string(), reason: z.string(), message: z.string() }),
])

/** One line of the ledger: a verdict, the result of a shadow, an abstention, a receipt or a failure. */
export type LedgerEntry = z.infer<typeof ledgerEntry>
/** As it stands in the file and is printed. */
export type StoredLedgerEntry = z.input<typeof ledgerEntry>

/** The line as it is written, its risks as percentages; `attestd scores --json` prints the same. */
export const storeLedgerEntry = (entry: LedgerEntry): StoredLedgerEntry => z.encode(ledgerEntry, entry)

const DAY_MS = 24 * 60 * 60 * 1000
/** A day, and from its second file on the number of the file. */
const FILE_NAME = /^(\d{4}-\d{2}-\d{2})(?:\.(\d+))?\.jsonl$/
/** Largest file of the ledger, as a share of its size: what goes at once. */
const SHARES = 8

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants
/** Not through a symbolic link. */
const APPEND = O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY

interface LedgerFile {
  readonly name: string
  /** UTC, `2026-01-31`. */
  readonly day: string
  /** From 1 on within a day. */
  readonly number: number
}

/**
 * The daemon's own record of what it did: append-only JSON lines, one file a day (UTC) or more where a day has much,
 * readable by other processes.
 */
export class Ledger {
  readonly #folder: string
  readonly #maxBytes: number
  /** What was written last. */
  #newest: LedgerFile | undefined
  #writing: Promise<void> = Promise.resolve()

  /** @param maxBytes all files together; the oldest go first. Without it only `prune` removes any. */
  constructor(folder: string, maxBytes = Number.POSITIVE_INFINITY) {
    this.#folder = folder
    this.#maxBytes = maxBytes
  }

  /** Resolves once the entry is in the file; several are written in their order. */
  async append(entry: LedgerEntry): Promise<void> {
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const line = `${JSON.stringify(storeLedgerEntry(entry))}\n`
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(day, line))
    await this.#writing
  }

  /** One write with O_APPEND, so that lines of several writers do not mix. A torn last line is ended first. */
  async #write(day: string, line: string): Promise<void> {
    await requireOwnFolder(this.#folder)
    const known = this.#newest
    const file = await this.#fileFor(day, Buffer.byteLength(line))
    const place = path.join(this.#folder, file.name)
    const start = file.name !== known?.name && (await isTorn(place)) ? '\n' : ''
    try {
      await writeTo(place, start + line, APPEND, {})
    } catch (error) {
      // A full disk may have taken a part of the line.
      this.#newest = undefined
      throw error
    }
  }

  /** The file of that day that takes a line of so many bytes; where it is another than before, room is made for it. */
  async #fileFor(day: string, bytes: number): Promise<LedgerFile> {
    const share = this.#maxBytes / SHARES
    const known = this.#newest?.day === day ? this.#newest : (await this.#files()).findLast((file) => file.day === day)
    let file = known ?? fileOf(day, 1)
    for (let size = this.#sizeOf(file); size > 0 && size + bytes > share; size = this.#sizeOf(file)) {
      file = fileOf(day, file.number + 1)
    }
    if (file.name !== this.#newest?.name) await this.#shrinkTo(this.#maxBytes * (1 - 1 / SHARES))
    this.#newest = file
    return file
  }

  /**
   * The newest entries, newest first. Lines that a kill tore or that are of another shape are passed over.
   * @param wanted filter; all where absent
   */
  async recent(limit: number, wanted: (entry: LedgerEntry) => boolean = () => true): Promise<LedgerEntry[]> {
    const found: LedgerEntry[] = []
    for (const { name } of (await this.#files()).toReversed()) {
      // Null where it was removed since.
      const content = await readFileIfPresent(path.join(this.#folder, name))
      const lines = content?.toString('utf8').split('\n').toReversed() ?? []
      for (const line of lines) {
        const entry = readJson(ledgerEntry, line)
        if (!entry || !wanted(entry)) continue
        found.push(entry)
        if (found.length === limit) return found
      }
    }
    return found
  }

  /** Removes whole days older than `maxAgeMs`, and the oldest files of more than its size. */
  async prune(maxAgeMs: number, now: number): Promise<void> {
    const files = await this.#files()
    if (files.length > 0) await requireFolder(this.#folder)
    for (const { name, day } of files) {
      const dayEnd = Date.parse(`${day}T00:00:00Z`) + DAY_MS
      if (now - dayEnd > maxAgeMs) await fs.rm(path.join(this.#folder, name), { force: true })
    }
    await this.#shrinkTo(this.#maxBytes)
  }

  async #shrinkTo(maxBytes: number): Promise<void> {
    let bytes = 0
    for (const file of (await this.#files()).toReversed()) {
      bytes += this.#sizeOf(file)
      if (bytes > maxBytes) await fs.rm(path.join(this.#folder, file.name), { force: true })
    }
  }

  /** 0 where it is not there. At once: it is asked before each write, see `requireFolder`. */
  #sizeOf({ name }: LedgerFile): number {
    return statSync(path.join(this.#folder, name), { throwIfNoEntry: false })?.size ?? 0
  }

  /** Oldest first. */
  async #files(): Promise<LedgerFile[]> {
    const names = await fs.readdir(this.#folder).catch((error: unknown) => {
      if (errorCode(error) === 'EACCES') throw error
      return []
    })
    const files = names.map((name) => FILE_NAME.exec(name)).filter((match) => match !== null)
    return files
      .map(([, day, number = '1']) => fileOf(day!, Number(number)))
      .sort((a, b) => a.day.localeCompare(b.day) || a.number - b.number)
  }
}

function fileOf(day: string, number: number): LedgerFile {
  return { name: number === 1 ? `${day}.jsonl` : `${day}.${number}.jsonl`, day, number }
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { MEDIA_TYPES } from '../core/media-types.js'
import { storedRisk } from './stored-risk.js'

const common = {
  /** Local Unix ms. */
  at: z.number(),
  assetId: z.string(),
  title: z.string(),
  /** Null where neither the service nor the bytes said. */
  mediaType: z.enum(MEDIA_TYPES).nullable(),
  contentHash: z.string(),
  uri: z.string(),
}

const ledgerEntry = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('verdict'),
    mediaType: z.enum(MEDIA_TYPES),
    risk: storedRisk,
    algorithm: z.string(),
    detectorDigest: z.string(),
    notes: z.string(),
    unsure: z.boolean(),
    /** Null also in lines of a release that did not keep it. */
    unsureBecause: z.enum(['band', 'flip']).nullable().default(null),
    /** What a replay compares, bit for bit; null in lines of an older version. */
    rawScore: z.number().nullable().default(null),
    platform: z.string().nullable().default(null),
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
    outcome: z.enum(['accepted', 'confirmed', 'closed']),
    risk: storedRisk,
    algorithm: z.string(),
    scoreId: z.string().nullable(),
    openToRecordMs: z.number(),
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
const FILE_NAME = /^(\d{4}-\d{2}-\d{2})\.jsonl$/

/** The daemon's own record of what it did: append-only JSON lines, one file a day (UTC), readable by other processes. */
export class Ledger {
  readonly #folder: string
  #made: Promise<unknown> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** One write per line with O_APPEND, so that lines of several writers do not mix. */
  async append(entry: LedgerEntry): Promise<void> {
    await this.#make()
    const day = new Date(entry.at).toISOString().slice(0, 10)
    await fs.appendFile(path.join(this.#folder, `${day}.jsonl`), `${JSON.stringify(storeLedgerEntry(entry))}\n`, {
      mode: 0o600,
    })
  }

  /**
   * The newest entries, newest first. Lines that a kill tore or that are of another shape are passed over.
   * @param wanted filter; all where absent
   */
  async recent(limit: number, wanted: (entry: LedgerEntry) => boolean = () => true): Promise<LedgerEntry[]> {
    const found: LedgerEntry[] = []
    for (const name of (await this.#files()).toReversed()) {
      const lines = (await fs.readFile(path.join(this.#folder, name), 'utf8')).split('\n').toReversed()
      for (const line of lines) {
        const entry = parseLine(line)
        if (!entry || !wanted(entry)) continue
        found.push(entry)
        if (found.length === limit) return found
      }
    }
    return found
  }

  /** Removes whole days older than `maxAgeMs`. */
  async prune(maxAgeMs: number, now: number): Promise<void> {
    for (const name of await this.#files()) {
      const dayEnd = Date.parse(`${FILE_NAME.exec(name)![1]}T00:00:00Z`) + DAY_MS
      if (now - dayEnd > maxAgeMs) await fs.rm(path.join(this.#folder, name), { force: true })
    }
  }

  /** Once a run; again after a failure. */
  async #make(): Promise<void> {
    this.#made ??= fs.mkdir(this.#folder, { recursive: true, mode: 0o700 })
    try {
      await this.#made
    } catch (error) {
      this.#made = undefined
      throw error
    }
  }

  async #files(): Promise<string[]> {
    const names = await fs.readdir(this.#folder).catch(() => [])
    return names.filter((name) => FILE_NAME.test(name)).sort()
  }
}

function parseLine(line: string): LedgerEntry | null {
  if (line === '') return null
  try {
    const parsed = ledgerEntry.safeParse(JSON.parse(line))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../../core/disk/make-folder.js'
import { readFileIfPresent } from '../../core/files.js'
import { readJson } from '../../core/text.js'
import { keptDetection } from '../../detect/stored-detection.js'
import { type ScoredRow, unscoredSchema } from './scored-row.js'

const FILE = 'rows.partial.jsonl'

const keptRow = z.object({
  /** Of the package and of what computed it: other rows are not those of this run. */
  by: z.string(),
  id: z.string(),
  sha256: z.string(),
  detection: keptDetection.nullable(),
  unscored: unscoredSchema.nullable(),
})

/** The rows that an evaluation has scored so far, in its folder, so that a stopped one resumes. */
export class KeptRows {
  readonly #file: string
  readonly #by: string
  readonly #rows: ReadonlyMap<string, Omit<ScoredRow, 'row'>>

  private constructor(file: string, by: string, rows: ReadonlyMap<string, Omit<ScoredRow, 'row'>>) {
    this.#file = file
    this.#by = by
    this.#rows = rows
  }

  /** @param by digest of the package with the platform, as the rows must state it */
  static async open(folder: string, by: string): Promise<KeptRows> {
    await makeFolder(folder)
    const file = path.join(folder, FILE)
    const text = (await readFileIfPresent(file))?.toString('utf8') ?? ''
    const rows = new Map<string, Omit<ScoredRow, 'row'>>()
    for (const line of text.split('\n')) {
      // The last line of a killed run may be cut.
      const kept = readJson(keptRow, line)
      if (kept?.by === by) rows.set(keyOf(kept), kept)
    }
    return new KeptRows(file, by, rows)
  }

  /** What an earlier run made of this row and these bytes; what failed is scored again. */
  find(id: string, sha256: string): Pick<ScoredRow, 'detection' | 'unscored'> | null {
    const { detection = null, unscored = null } = this.#rows.get(keyOf({ id, sha256 })) ?? {}
    return detection === null && unscored?.how !== 'abstained' ? null : { detection, unscored }
  }

  async add({ row, ...scored }: ScoredRow): Promise<void> {
    await fs.appendFile(this.#file, `${JSON.stringify({ by: this.#by, id: row.id, ...scored })}\n`)
  }

  /** Once the report is written. */
  async remove(): Promise<void> {
    await fs.rm(this.#file, { force: true })
  }
}

const keyOf = ({ id, sha256 }: { readonly id: string; readonly sha256: string }) => `${sha256} ${id}`

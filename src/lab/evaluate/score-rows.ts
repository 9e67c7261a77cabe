import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { makeTemporaryFolder, removeOwnFolder } from '../../core/disk/own-folders.js'
import { AttestdError, errorText, isAbort, toAttestdError } from '../../core/errors.js'
import { isThere, sha256OfFile } from '../../core/files.js'
import type { MediaType } from '../../core/media-types.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { DataRow } from '../data/data-row.js'
import { interrupted } from '../interrupted.js'
import type { KeptRows } from './kept-rows.js'
import type { ScoredRow, Unscored } from './scored-row.js'

export interface ScoreOptions {
  readonly host: Pick<DetectorHost, 'detect'>
  /** Rows that are asked for at the same time; as many as the host has processes. */
  readonly concurrency: number
  readonly signal: AbortSignal
  /** Rows of a run that was stopped, and where those of this one are kept; null: nowhere. */
  readonly kept?: KeptRows | null
  onProgress(done: number, of: number): void
}

type TypedRow = DataRow & { readonly mediaType: MediaType }

/**
 * Scores rows through the detector processes, in any order, and gives the results in the order of the rows.
 * @throws AttestdError lab-data-invalid (files are missing), draining (the signal aborted), detector-unreachable, setup reasons
 *   of the host
 */
export async function scoreRows(rows: readonly TypedRow[], options: ScoreOptions): Promise<ScoredRow[]> {
  const { concurrency, kept = null, onProgress, signal } = options
  await requireFiles(rows)
  const folder = await makeTemporaryFolder('attestd-lab-')
  const scored: ScoredRow[] = []
  const ahead = rows.entries()
  let done = 0
  let isOver = false
  const stopped = () =>
    interrupted(kept && `Interrupted after ${done} of ${rows.length} rows; the same command resumes there.`)
  const takeRows = async () => {
    for (const [index, row] of ahead) {
      if (isOver) return
      if (signal.aborted) throw stopped()
      scored[index] = await scoreRow(row, path.join(folder, String(index)), options)
      onProgress(++done, rows.length)
    }
  }
  const taking = Array.from({ length: Math.min(concurrency, rows.length) }, () =>
    takeRows().catch((error: unknown) => {
      isOver = true
      throw error
    }),
  )
  try {
    await Promise.all(taking)
    return scored
  } catch (error) {
    throw isAbort(error) && signal.aborted ? stopped() : error
  } finally {
    // Those at work still write into it.
    await Promise.allSettled(taking)
    await removeOwnFolder(folder)
  }
}

/** @param scratch where a text of the index, or media of a table, is put while it is scored */
async function scoreRow(row: TypedRow, scratch: string, options: ScoreOptions): Promise<ScoredRow> {
  const { content, mediaType } = row
  if ('file' in content) return scoreFile(row, content.file, options, mediaType)
  await fs.writeFile(scratch, 'text' in content ? content.text : await content.bytes())
  try {
    return await scoreFile(row, scratch, options, mediaType)
  } finally {
    await fs.rm(scratch, { force: true })
  }
}

async function scoreFile(
  row: DataRow,
  file: string,
  { host, kept, signal }: ScoreOptions,
  mediaType: MediaType,
): Promise<ScoredRow> {
  const sha256 = await digestOf(file, row.id)
  const earlier = kept?.find(row.id, sha256)
  if (earlier) return { row, sha256, ...earlier }
  const result = await host.detect({ file, mediaType, label: row.id }, signal).then(
    (detection) => ({ detection, unscored: null }),
    (error: unknown) => ({ detection: null, unscored: unscoredBy(error) }),
  )
  // Its risk would stand next to the digest of other bytes.
  if ((await digestOf(file, row.id)) !== sha256)
    throw new AttestdError('lab-data-invalid', `${row.id} changed while it was scored.`)
  const scored = { row, sha256, ...result }
  await kept?.add(scored)
  return scored
}

/** Why this file has no score; what is about the set-up, or a model server, would be the same for every row, so it ends the run. */
function unscoredBy(error: unknown): Unscored {
  if (isAbort(error)) throw error
  const { kind, message, reason } = toAttestdError(error)
  if (kind === 'setup' || kind === 'wait' || reason === 'detector-unreachable') throw error
  return { how: kind === 'abstain' ? 'abstained' : 'failed', reason, message }
}

/** Missing files that an error names. */
const NAMED = 3

/** Before the first row is scored, which may be hours before the last. @throws AttestdError lab-data-invalid */
async function requireFiles(rows: readonly TypedRow[]): Promise<void> {
  const missing: string[] = []
  for (const { content, id } of rows) {
    if (!('file' in content)) continue
    if (!(await isThere(content.file, fs.constants.R_OK))) missing.push(id)
    else if (!(await fs.stat(content.file)).isFile()) missing.push(`${id} (a folder, a named pipe or a device)`)
  }
  if (missing.length === 0) return
  const named = missing.slice(0, NAMED).join(', ')
  throw new AttestdError(
    'lab-data-invalid',
    `${missing.length} of ${rows.length} files cannot be read: ${named}${missing.length > NAMED ? ', ...' : ''}.`,
    { fix: 'Unpack the media, correct the paths, or name the folder that they start from with --root.' },
  )
}

async function digestOf(file: string, id: string): Promise<string> {
  try {
    return await sha256OfFile(file)
  } catch (cause) {
    const hint = 'Are the media unpacked, and is --root right?'
    throw new AttestdError('lab-data-invalid', `${id} cannot be read (${errorText(cause)}). ${hint}`, { cause })
  }
}

/** sha256 (64 hex) over the label, id and bytes of every row, in the order of their ids: what the figures were measured on. */
export function dataDigest(scored: readonly ScoredRow[]): string {
  const lines = scored.map(({ row, sha256 }) => `${row.fake ? 'fake' : 'real'}\t${row.id}\t${sha256}\n`)
  return createHash('sha256').update(lines.sort().join('')).digest('hex')
}

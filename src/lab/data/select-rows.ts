import { createHash } from 'node:crypto'
import type { MediaType } from '../../core/media-types.js'
import type { DataRow } from './data-row.js'

/** Rows that a package can score, and how many of the others there were. */
export interface SelectedRows {
  readonly rows: readonly (DataRow & { readonly mediaType: MediaType })[]
  /** Rows of other media types. */
  readonly otherMedia: number
}

/**
 * Keeps the rows of a package's media types; a row that does not state is taken for the first of them.
 * @param limit most rows; of more, the same ones each time and as many of a class as its share, chosen by hash and not by place
 */
export function selectRows(
  rows: readonly DataRow[],
  mediaTypes: readonly MediaType[],
  limit: number | null,
): SelectedRows {
  const typed = rows.map((row) => ({ ...row, mediaType: row.mediaType ?? (mediaTypes[0] as MediaType) }))
  const fitting = typed.filter(({ mediaType }) => mediaTypes.includes(mediaType))
  const otherMedia = rows.length - fitting.length
  if (limit === null || fitting.length <= limit) return { rows: fitting, otherMedia }
  const share = limit / fitting.length
  const fakes = fitting.filter(({ fake }) => fake)
  const reals = fitting.filter(({ fake }) => !fake)
  const fakeCount = Math.round(fakes.length * share)
  const kept = new Set([...lowestHashes(fakes, fakeCount), ...lowestHashes(reals, limit - fakeCount)])
  return { rows: fitting.filter((row) => kept.has(row)), otherMedia }
}

function lowestHashes<Row extends DataRow>(rows: readonly Row[], count: number): Row[] {
  return rows
    .map((row) => ({ row, hash: createHash('sha256').update(row.id).digest('hex') }))
    .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, count)
    .map(({ row }) => row)
}

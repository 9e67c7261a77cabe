import { z } from 'zod'
import { OUTCOMES, type RecentRow } from '../../fleet/recent-rows.js'

/** Longest text to look for, characters. */
const MAX_TEXT = 200

/** The query of the console's address: which rows are shown. Empty fields of the form are none. */
export const recentQuery = z.object({
  outcome: z.union([z.enum(OUTCOMES), z.literal('')]).default(''),
  text: z.string().max(MAX_TEXT).default(''),
})
/** Rows of one outcome, or of all where it is empty, in which the text stands in any of what is shown. */
export type RecentFilter = z.infer<typeof recentQuery>

/** Those rows that pass; case does not matter. */
export function filterRows(rows: readonly RecentRow[], { outcome, text }: RecentFilter): RecentRow[] {
  const wanted = text.trim().toLowerCase()
  return rows.filter(
    (row) =>
      (outcome === '' || row.outcome === outcome) && (wanted === '' || textOf(row).toLowerCase().includes(wanted)),
  )
}

const textOf = ({ algorithm, assetId, daemon, mediaType, message, reason, scoreId, title }: RecentRow): string =>
  [title, assetId, mediaType, algorithm, reason, message, scoreId, daemon].join('\n')

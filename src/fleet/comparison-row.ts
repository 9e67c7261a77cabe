import { z } from 'zod'

const count = z.int().nonnegative()

/** Rows that a daemon keeps and announces, the newest candidates: with more, others could not read what it announces. */
export const MAX_COMPARED = 50

/**
 * How a candidate (a canary or a shadow) compares with the active detectors, since the start of a daemon. All but the names
 * are sums, so that those of several daemons add up.
 */
export const comparisonRow = z.object({
  /** Id and version. */
  candidate: z.string(),
  mediaType: z.string(),
  /** Id and version of the active detectors, as last measured; null before. */
  inCharge: z.string().nullable(),
  /** Files that either of them scored. */
  files: count,
  /** Files that both scored. */
  compared: count,
  /** Of those, on the same side of risk 50. */
  agreed: count,
  /** Of those, where the daemon would have done something else by the other one. */
  wouldChange: count,
  /** Risk of the candidate less that of the active detectors, percentage points, over the files that both scored. */
  differences: z.number(),
  /** Files that the candidate abstained from or was unsure of; of the active detectors, among the files that the candidate scored. */
  candidateAbstained: count,
  inChargeAbstained: count,
  /** Files that the active detectors could not score. */
  failed: count,
  /** Decoding and inference, over the files that both scored. */
  candidateMs: z.number(),
  inChargeMs: z.number(),
})
export type ComparisonRow = z.infer<typeof comparisonRow>

/** One row per candidate and kind of media. */
export function summedRows(rows: readonly ComparisonRow[]): ComparisonRow[] {
  const sums = new Map<string, ComparisonRow>()
  for (const row of rows) {
    const key = `${row.candidate} ${row.mediaType}`
    sums.set(key, added(row, sums.get(key)))
  }
  return [...sums.values()]
}

/** The numbers of both; the names are those of the later row, where it has them. */
export function added(later: ComparisonRow, before: ComparisonRow | undefined): ComparisonRow {
  if (before === undefined) return later
  const sums = Object.entries(later).map(([name, value]) => {
    const old = before[name as keyof ComparisonRow]
    return [name, typeof value === 'number' ? value + Number(old) : (value ?? old)]
  })
  return Object.fromEntries(sums)
}

export function canaryText(row: ComparisonRow): string {
  const { agreed, candidate, compared, inCharge, mediaType } = row
  const mean = (total: number) => total / Math.max(1, compared)
  const difference = mean(row.differences)
  return [
    `${candidate} on ${mediaType} against ${inCharge ?? 'nothing yet'}: ${compared} compared, ${agreed} agree at risk 50`,
    `risk ${difference < 0 ? '' : '+'}${difference.toFixed(1)} on average`,
    `abstained ${row.candidateAbstained} to ${row.inChargeAbstained}`,
    `${mean(row.candidateMs).toFixed(0)} ms to ${mean(row.inChargeMs).toFixed(0)} ms per file`,
    `${row.failed} could not be compared`,
  ].join(', ')
}

import { z } from 'zod'

const count = z.int().nonnegative()

/** What a candidate did since the start of a daemon; all but the names are sums, so that those of several daemons add up. */
export const canaryRow = z.object({
  /** Id and version. */
  candidate: z.string(),
  mediaType: z.string(),
  /** Id and version of the active detectors, as last measured; null before. */
  inCharge: z.string().nullable(),
  /** Files that both scored. */
  compared: count,
  /** Of those, on the same side of risk 50. */
  agreed: count,
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
/** See `canaryRow`. */
export type CanaryRow = z.infer<typeof canaryRow>

/** One row a candidate and kind of media. */
export function summedCanaries(rows: readonly CanaryRow[]): CanaryRow[] {
  const sums = new Map<string, CanaryRow>()
  for (const row of rows) {
    const key = `${row.candidate} ${row.mediaType}`
    const sum = sums.get(key)
    sums.set(key, sum ? added(sum, row) : row)
  }
  return [...sums.values()]
}

function added(a: CanaryRow, b: CanaryRow): CanaryRow {
  return {
    candidate: a.candidate,
    mediaType: a.mediaType,
    inCharge: a.inCharge ?? b.inCharge,
    compared: a.compared + b.compared,
    agreed: a.agreed + b.agreed,
    differences: a.differences + b.differences,
    candidateAbstained: a.candidateAbstained + b.candidateAbstained,
    inChargeAbstained: a.inChargeAbstained + b.inChargeAbstained,
    failed: a.failed + b.failed,
    candidateMs: a.candidateMs + b.candidateMs,
    inChargeMs: a.inChargeMs + b.inChargeMs,
  }
}

/** The comparison in one sentence. */
export function canaryText(row: CanaryRow): string {
  const { agreed, candidate, compared, inCharge, mediaType } = row
  const mean = (total: number) => total / Math.max(1, compared)
  const difference = mean(row.differences)
  return [
    `${candidate} on ${mediaType} beside ${inCharge ?? 'nothing yet'}: ${compared} compared, ${agreed} agree at risk 50`,
    `risk ${difference < 0 ? '' : '+'}${difference.toFixed(1)} on average`,
    `abstained ${row.candidateAbstained} to ${row.inChargeAbstained}`,
    `${mean(row.candidateMs).toFixed(0)} ms to ${mean(row.inChargeMs).toFixed(0)} ms a file`,
    `${row.failed} could not be compared`,
  ].join(', ')
}

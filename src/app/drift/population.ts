/** Bins of equal width that risks are counted in. */
export const RISK_BINS = 10

/** The result of a detector for one file; `risk` is null where it returned none. */
export interface Seen {
  readonly risk: number | null
  /** Whether it gave none, or was unsure. */
  readonly abstained: boolean
}

/** Files by what a detector stated of them. */
export interface Population {
  /** Files by risk, `RISK_BINS` bins; those without a risk are in none. */
  readonly risks: readonly number[]
  /** Files that it was sure of, and those that it abstained from. */
  readonly abstentions: readonly [number, number]
}

/** Counts files. */
export function populationOf(seen: readonly Seen[]): Population {
  const risks = Array.from({ length: RISK_BINS }, () => 0)
  for (const { risk } of seen) {
    if (risk === null) continue
    const bin = Math.min(RISK_BINS - 1, Math.floor(risk * RISK_BINS))
    risks[bin] = (risks[bin] ?? 0) + 1
  }
  const abstained = seen.filter((one) => one.abstained).length
  return { risks, abstentions: [seen.length - abstained, abstained] }
}

/**
 * Population stability index: the sum over the bins of (a - b) * ln(a / b) of their shares. Half a file is added to each
 * bin, so that an empty one is no infinity. Without any drift it is about (bins - 1) * (1 / files + 1 / reference).
 * The usual reading (Siddiqi, Credit Risk Scorecards, 2006): below 0.1 none, above 0.25 a large shift.
 */
export function stabilityIndex(now: readonly number[], reference: readonly number[]): number {
  const [a, b] = [sharesOf(now), sharesOf(reference)]
  return a.reduce((sum, share, bin) => sum + (share - b[bin]!) * Math.log(share / b[bin]!), 0)
}

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count + 0.5, 0)
  return counts.map((count) => (count + 0.5) / total)
}

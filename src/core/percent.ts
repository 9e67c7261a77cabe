/** A risk in [0, 1] as the percentage that is submitted and recorded, rounded to two decimals. */
export function percentOf(risk: number): number {
  return Math.round(risk * 10_000) / 100
}

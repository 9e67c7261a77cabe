/** One judged row: a score, its class, and how much it counts. */
export interface LabeledScore {
  /** The higher, the more likely fake; a probability where reliability is asked for. */
  readonly score: number
  readonly fake: boolean
  /** @default 1 */
  readonly weight?: number
}

/** Rows put together by score, highest first: what every metric is computed from, so that ties are met in one place. */
export interface RankedScores {
  /** Distinct scores, falling. */
  readonly scores: ArrayLike<number>
  /** Weight of the fake rows at each score. */
  readonly fakes: ArrayLike<number>
  /** Weight of the real rows at each score. */
  readonly reals: ArrayLike<number>
}

/** Ranks rows; those of equal score share a rank. */
export function rankScores(rows: readonly LabeledScore[]): RankedScores {
  const { scores, ranks } = rankOf(rows.map(({ score }) => score))
  const fakes = new Float64Array(scores.length)
  const reals = new Float64Array(scores.length)
  for (const [index, { fake, weight = 1 }] of rows.entries()) {
    const counts = fake ? fakes : reals
    const rank = ranks[index] as number
    counts[rank] = (counts[rank] as number) + weight
  }
  return { scores, fakes, reals }
}

/** The distinct values, falling, and the place of each given value among them. */
export function rankOf(values: readonly number[]): { scores: Float64Array; ranks: Int32Array } {
  const scores = Float64Array.from(new Set(values)).sort().toReversed()
  const places = new Map(Array.from(scores, (score, rank) => [score, rank]))
  return { scores, ranks: Int32Array.from(values, (value) => places.get(value) as number) }
}

/** Total weight of each class. */
export function classTotals({ fakes, reals }: RankedScores): { fakes: number; reals: number } {
  return { fakes: sum(fakes), reals: sum(reals) }
}

/** The sum of numbers, added up in their order. */
export function sum(values: ArrayLike<number>): number {
  let total = 0
  for (let index = 0; index < values.length; index++) total += values[index] as number
  return total
}

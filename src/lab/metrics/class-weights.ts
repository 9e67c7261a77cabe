/** How much a row of each class counts. */
export interface ClassWeights {
  readonly fake: number
  readonly real: number
}

/** Weights that make fakes a stated share of the rows and still sum to their number; there must be rows of both classes. */
export function weightsForPrior(rows: readonly { readonly fake: boolean }[], prior: number): ClassWeights {
  const fakes = rows.filter(({ fake }) => fake).length
  return { fake: (prior * rows.length) / fakes, real: ((1 - prior) * rows.length) / (rows.length - fakes) }
}

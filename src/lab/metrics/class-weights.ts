/** Rows weighted so that fakes make up a stated share of them, and the weights still sum to their number; there must be rows of both classes. */
export function weightedToPrior<Row extends { readonly fake: boolean }>(
  rows: readonly Row[],
  prior: number,
): (Row & { readonly weight: number })[] {
  const fakes = rows.filter(({ fake }) => fake).length
  const ofFake = (prior * rows.length) / fakes
  const ofReal = ((1 - prior) * rows.length) / (rows.length - fakes)
  return rows.map((row) => ({ ...row, weight: row.fake ? ofFake : ofReal }))
}

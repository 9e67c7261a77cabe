/** One row that a calibration is fitted to or judged on. */
export interface CalibrationRow {
  /** The detector's output before calibration. */
  readonly logit: number
  readonly fake: boolean
  /** Length of the input in the unit of a `by-length` calibration. */
  readonly length: number
  /** How much the row counts. */
  readonly weight: number
}

/**
 * What a fit aims at for each class instead of 1 and 0, so that perfectly separated rows do not make it endlessly sure
 * (Platt 1999): as if one more row of the other class had been seen.
 */
export function plattTargets(rows: readonly CalibrationRow[]): { fake: number; real: number } {
  const fakes = rows.filter(({ fake }) => fake).length
  return { fake: (fakes + 1) / (fakes + 2), real: 1 / (rows.length - fakes + 2) }
}

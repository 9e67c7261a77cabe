import { AttestdError } from '../../core/errors.js'
import type { Calibration } from '../../detect/package/calibration-schema.js'
import { weightedToPrior } from '../metrics/class-weights.js'
import type { CalibrationRow } from './calibration-row.js'
import { fitIsotonic } from './fit-isotonic.js'
import { fitPlatt, type Line } from './fit-platt.js'
import { fitTemperature } from './fit-temperature.js'

/** Ways to fit a calibration; `by-length` is a line for each bin that the package has. */
export const METHODS = ['platt', 'temperature', 'isotonic', 'by-length'] as const
export type Method = (typeof METHODS)[number]

/** Rows of the rarer class that a fit needs. */
export const MIN_CLASS_ROWS = 20

/**
 * Fits a calibration to rows, weighted so that fakes are a stated share of them.
 * @param present the package's own, for the bins of `by-length`
 * @throws AttestdError lab-data-invalid (too few rows of a class, or the detector ranks the wrong way round)
 */
export function fitCalibration(
  rows: readonly CalibrationRow[],
  method: Method,
  prior: number,
  present: Calibration,
): Calibration {
  requireClasses(rows, '')
  const weighted = weightedToPrior(rows, prior)
  if (method === 'temperature') {
    const temperature = rounded(fitTemperature(weighted))
    if (!Number.isFinite(temperature)) throw upsideDown('')
    return { kind: 'temperature', temperature }
  }
  if (method === 'platt') return { kind: 'platt', ...risingLine(weighted, '') }
  if (method === 'isotonic') {
    const knots = fitIsotonic(weighted)
    if (knots.logits.length < 2) throw upsideDown('')
    return { kind: 'isotonic', ...knots }
  }
  requireBins(method, present)
  return fitByLength(rows, prior, present as ByLength)
}

type ByLength = Extract<Calibration, { kind: 'by-length' }>

/** Refuses a package without bins for `by-length`. @param present its own calibration @throws lab-data-invalid */
export function requireBins(method: Method, present: Calibration): void {
  if (method !== 'by-length' || present.kind === 'by-length') return
  throw new AttestdError('lab-data-invalid', 'by-length needs a package whose calibration has bins of length already.')
}

function fitByLength(rows: readonly CalibrationRow[], prior: number, present: ByLength): Calibration {
  let from = 0
  const bins = present.bins.map(({ upTo }) => {
    const start = from
    const members = rows.filter(({ length }) => length > start && length <= (upTo ?? Number.POSITIVE_INFINITY))
    const where = ` of length ${start} to ${upTo ?? 'any'}`
    requireClasses(members, where)
    from = upTo ?? from
    return { upTo, ...risingLine(weightedToPrior(members, prior), where) }
  })
  return { kind: 'by-length', bins }
}

/** Refuses rows with too few of a class. @param where such as ` of length 0 to 300` @throws lab-data-invalid */
export function requireClasses(rows: readonly { readonly fake: boolean }[], where: string): void {
  const fakes = rows.filter(({ fake }) => fake).length
  const rarer = Math.min(fakes, rows.length - fakes)
  if (rarer >= MIN_CLASS_ROWS) return
  throw new AttestdError(
    'lab-data-invalid',
    `There are ${rows.length - fakes} real and ${fakes} fake rows${where}; a fit needs ${MIN_CLASS_ROWS} of each.`,
  )
}

function risingLine(rows: readonly CalibrationRow[], where: string): Line {
  const { slope, intercept } = fitPlatt(rows)
  if (slope <= 0) throw upsideDown(where)
  return { slope: rounded(slope), intercept: rounded(intercept) }
}

function upsideDown(where: string): AttestdError {
  return new AttestdError(
    'lab-data-invalid',
    `The detector does not score fake rows${where} above real ones; no calibration can correct that.`,
    { fix: 'Check the labels of the data, and which class of the model means fake (models import --fake-label).' },
  )
}

const rounded = (value: number): number => Number(value.toPrecision(6))

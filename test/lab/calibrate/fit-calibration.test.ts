import { describe, expect, it } from 'vitest'
import { calibrationSchema } from '../../../src/detect/package/calibration-schema.js'
import { calibrate, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { requireFits } from '../../../src/lab/calibrate/calibration-report.js'
import { fitCalibration, METHODS } from '../../../src/lab/calibrate/fit-calibration.js'
import { weightedToPrior } from '../../../src/lab/metrics/class-weights.js'
import { dataRow } from '../../support/scored-rows.js'
import { BY_LENGTH, drawn, row } from './drawn-rows.js'

describe('a fit', () => {
  it.each(METHODS)('by %s is accepted by a manifest, and keeps the order of any two files', (method) => {
    for (const seed of [1, 2, 3]) {
      const fitted = fitCalibration(drawn(seed), method, 0.3, BY_LENGTH)
      expect(calibrationSchema.parse(JSON.parse(JSON.stringify(fitted)))).toEqual(fitted)
      const risks = Array.from({ length: 101 }, (_, index) => calibrate(index / 10 - 5, fitted, 400))
      expect(risks).toEqual(risks.toSorted((a, b) => a - b))
      expect(Math.min(...risks)).toBeGreaterThan(0)
      expect(Math.max(...risks)).toBeLessThan(1)
    }
  })

  it.each(['platt', 'isotonic', 'by-length'] as const)(
    'by %s has the share of fakes that the prior states',
    (method) => {
      const rows = drawn(4, 4000)
      const fitted = fitCalibration(rows, method, 0.2, BY_LENGTH)
      const weighted = weightedToPrior(rows, 0.2)
      const mean = weighted.reduce((sum, each) => sum + each.weight * calibrate(each.logit, fitted, each.length), 0)
      expect(mean / rows.length).toBeCloseTo(0.2, 1)
    },
  )

  it('by length has one line per bin, from the rows of that bin', () => {
    const stretched = (seed: number, by: number, length: number) =>
      drawn(seed, 4000).map((each) => ({ ...each, logit: each.logit / by, length }))
    const rows = [...stretched(1, 0.5, 100), ...stretched(2, 1.5, 900)]
    const fitted = fitCalibration(rows, 'by-length', 0.5, BY_LENGTH)
    expect(calibrate(2, fitted, 100)).toBeCloseTo(sigmoid(1), 1)
    expect(calibrate(2, fitted, 900)).toBeCloseTo(sigmoid(3), 1)
    expect(() => fitCalibration(rows, 'by-length', 0.5, { kind: 'identity' })).toThrow(/bins of length/)
  })

  it('has six digits, which a person can read in the manifest', () => {
    const fitted = fitCalibration(drawn(5), 'platt', 0.5, BY_LENGTH)
    for (const value of Object.values(fitted).filter((each) => typeof each === 'number'))
      expect(Number(value.toPrecision(6))).toBe(value)
  })
})

describe('too few rows', () => {
  const some = (real: number, fake: number) => [
    ...Array.from({ length: real }, (_, index) => row(-1 - index / 100, false)),
    ...Array.from({ length: fake }, (_, index) => row(1 + index / 100, true)),
  ]

  it.each([
    [20, 20, true],
    [19, 500, false],
    [500, 19, false],
    [0, 0, false],
  ])('%i real and %i fake are enough: %s', (real, fake, enough) => {
    const ask = () => fitCalibration(some(real, fake), 'platt', 0.5, BY_LENGTH)
    if (enough) expect(ask).not.toThrow()
    else expect(ask).toThrow(`There are ${real} real and ${fake} fake rows; a fit needs 20 of each.`)
  })

  it('in a bin are refused; its edge belongs to the bin below it', () => {
    const rows = [...some(20, 20).map((each) => ({ ...each, length: 500 })), ...some(20, 20)]
    const all = rows.map((each, index) => (index < 40 ? each : { ...each, length: 501 }))
    expect(fitCalibration(all, 'by-length', 0.5, BY_LENGTH)).toMatchObject({ bins: [{ upTo: 500 }, {}] })
    const moved = all.map((each, index) => (index === 40 ? { ...each, length: 500 } : each))
    expect(() => fitCalibration(moved, 'by-length', 0.5, BY_LENGTH)).toThrow(
      /19 real and 20 fake rows of length 500 to any/,
    )
  })

  it.each(['platt', 'temperature', 'isotonic'] as const)('by %s a detector upside down is refused', (method) => {
    const turned = some(30, 30).map((each) => ({ ...each, fake: !each.fake }))
    expect(() => fitCalibration(turned, method, 0.5, BY_LENGTH)).toThrow(/does not score fake rows above real ones/)
  })

  it('a bin in which fakes score below reals is refused by its name', () => {
    const turned = some(30, 30).map((each) => ({ ...each, logit: -each.logit, length: 100 }))
    const right = some(30, 30).map((each) => ({ ...each, length: 900 }))
    expect(() => fitCalibration([...turned, ...right], 'by-length', 0.5, BY_LENGTH)).toThrow(
      /fake rows of length 0 to 500 above real/,
    )
  })
})

describe('rows to be scored', () => {
  const some = (each: number) => Array.from({ length: 2 * each }, (_, nth) => dataRow(`row ${nth}`, nth % 2 === 0))

  it.each([10, 24])('are too few with %i of each class for the fits that judge a calibration', (each) => {
    expect(() => requireFits(some(each))).toThrow(/a fit needs 20 of each/)
  })

  it('are enough with 60 of each', () => {
    expect(() => requireFits(some(60))).not.toThrow()
  })
})

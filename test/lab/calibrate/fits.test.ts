import { describe, expect, it } from 'vitest'
import { type Calibration, calibrationSchema } from '../../../src/detect/package/calibration-schema.js'
import { calibrate, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { type CalibrationRow, plattTargets, weightedToPrior } from '../../../src/lab/calibrate/calibration-row.js'
import { fitCalibration, METHODS, requireClasses } from '../../../src/lab/calibrate/fit-calibration.js'
import { fitIsotonic } from '../../../src/lab/calibrate/fit-isotonic.js'
import { fitPlatt } from '../../../src/lab/calibrate/fit-platt.js'
import { fitTemperature } from '../../../src/lab/calibrate/fit-temperature.js'
import { FOLDS, foldsByGroup } from '../../../src/lab/calibrate/folds.js'
import { suggestBand } from '../../../src/lab/calibrate/suggest-band.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'

const row = (logit: number, fake: boolean, more: Partial<CalibrationRow> = {}): CalibrationRow => ({
  logit,
  fake,
  length: Number.POSITIVE_INFINITY,
  weight: 1,
  ...more,
})

function drawn(seed: number, count = 300): CalibrationRow[] {
  const random = seededRandom(seed)
  return Array.from({ length: count }, () => {
    const logit = 6 * random() - 3
    return row(logit, random() < sigmoid(logit), { length: 1 + Math.floor(1000 * random()) })
  })
}

const BY_LENGTH: Calibration = {
  kind: 'by-length',
  bins: [
    { upTo: 500, slope: 1, intercept: 0 },
    { slope: 1, intercept: 0 },
  ],
}

describe('what is fitted', () => {
  it.each(METHODS)('by %s is what a manifest takes, and keeps the order of any two files', (method) => {
    for (const seed of [1, 2, 3]) {
      const fitted = fitCalibration(drawn(seed), method, 0.3, BY_LENGTH)
      expect(calibrationSchema.parse(JSON.parse(JSON.stringify(fitted)))).toEqual(fitted)
      const risks = Array.from({ length: 101 }, (_, index) => calibrate(index / 10 - 5, fitted, 400))
      expect(risks).toEqual(risks.toSorted((a, b) => a - b))
      expect(Math.min(...risks)).toBeGreaterThan(0)
      expect(Math.max(...risks)).toBeLessThan(1)
    }
  })

  it.each(['platt', 'isotonic', 'by-length'] as const)('by %s means as many fakes as the prior says', (method) => {
    const rows = drawn(4, 4000)
    const fitted = fitCalibration(rows, method, 0.2, BY_LENGTH)
    const weighted = weightedToPrior(rows, 0.2)
    const mean = weighted.reduce((sum, each) => sum + each.weight * calibrate(each.logit, fitted, each.length), 0)
    expect(mean / rows.length).toBeCloseTo(0.2, 1)
  })

  it('has six digits, as a person can read in the manifest', () => {
    const fitted = fitCalibration(drawn(5), 'platt', 0.5, BY_LENGTH)
    for (const value of Object.values(fitted).filter((each) => typeof each === 'number'))
      expect(Number(value.toPrecision(6))).toBe(value)
  })

  it('does not hang on the order of the rows', () => {
    const rows = drawn(6)
    const { logits, risks } = fitIsotonic(rows)
    expect(fitIsotonic(rows.toReversed())).toEqual({ logits, risks })
    expect(fitTemperature(rows.toReversed())).toBeCloseTo(fitTemperature(rows), 6)
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
    const ask = () => requireClasses(some(real, fake), '')
    if (enough) expect(ask).not.toThrow()
    else expect(ask).toThrow(`There are ${real} real and ${fake} fake rows; a fit needs 20 of each.`)
  })

  it('are refused a bin: its edge belongs to the bin below it', () => {
    const rows = [...some(20, 20).map((each) => ({ ...each, length: 500 })), ...some(20, 20)]
    const all = rows.map((each, index) => (index < 40 ? each : { ...each, length: 501 }))
    expect(fitCalibration(all, 'by-length', 0.5, BY_LENGTH)).toMatchObject({ bins: [{ upTo: 500 }, {}] })
    const moved = all.map((each, index) => (index === 40 ? { ...each, length: 500 } : each))
    expect(() => fitCalibration(moved, 'by-length', 0.5, BY_LENGTH)).toThrow(
      /19 real and 20 fake rows of length 500 to any/,
    )
  })

  it('a bin in which fakes score below reals is refused by its name', () => {
    const turned = some(30, 30).map((each) => ({ ...each, logit: -each.logit, length: 100 }))
    const right = some(30, 30).map((each) => ({ ...each, length: 900 }))
    expect(() => fitCalibration([...turned, ...right], 'by-length', 0.5, BY_LENGTH)).toThrow(
      /fake rows of length 0 to 500 above real/,
    )
  })
})

describe('targets', () => {
  it.each([
    [0, 0, 1 / 2, 1 / 2],
    [1, 0, 2 / 3, 1 / 2],
    [3, 8, 4 / 5, 1 / 10],
  ])('of %i fakes and %i reals', (fakes, reals, fake, real) => {
    const rows = Array.from({ length: fakes + reals }, (_, index) => row(0, index < fakes))
    expect(plattTargets(rows)).toEqual({ fake: expect.closeTo(fake, 12), real: expect.closeTo(real, 12) })
  })
})

describe('the line', () => {
  it('where all logits are alike says the share of fakes', () => {
    const rows = [...Array.from({ length: 30 }, () => row(1, true)), ...Array.from({ length: 90 }, () => row(1, false))]
    const { intercept, slope } = fitPlatt(rows)
    expect(sigmoid(slope + intercept)).toBeCloseTo(0.26, 1)
    expect(Number.isFinite(slope) && Number.isFinite(intercept)).toBe(true)
  })

  it('is a minimum: no line beside it fits better', () => {
    const rows = weightedToPrior(drawn(9), 0.4)
    const targets = plattTargets(rows)
    const loss = (slope: number, intercept: number) =>
      rows.reduce((sum, { fake, logit, weight }) => {
        const [target, risk] = [fake ? targets.fake : targets.real, sigmoid(slope * logit + intercept)]
        return sum - weight * (target * Math.log(risk) + (1 - target) * Math.log(1 - risk))
      }, 0)
    const { intercept, slope } = fitPlatt(rows)
    const best = loss(slope, intercept)
    for (const [right, up] of [
      [0.01, 0],
      [-0.01, 0],
      [0, 0.01],
      [0, -0.01],
    ] as const)
      expect(loss(slope + right, intercept + up)).toBeGreaterThan(best)
  })

  it('stays finite for logits in the thousands', () => {
    const rows = drawn(10).map((each) => ({ ...each, logit: each.logit * 1000 }))
    const { slope } = fitPlatt(rows)
    expect(slope * 1000).toBeCloseTo(fitPlatt(drawn(10)).slope, 3)
  })
})

describe('the temperature', () => {
  it('is a minimum of the loss', () => {
    const rows = drawn(11, 3000).map((each) => ({ ...each, logit: 3 * each.logit }))
    const targets = plattTargets(rows)
    const loss = (temperature: number) =>
      rows.reduce((sum, { fake, logit }) => {
        const [target, risk] = [fake ? targets.fake : targets.real, sigmoid(logit / temperature)]
        return sum - target * Math.log(risk) - (1 - target) * Math.log(1 - risk)
      }, 0)
    const best = fitTemperature(rows)
    expect(best).toBeCloseTo(3, 0)
    expect(loss(best * 1.02)).toBeGreaterThan(loss(best))
    expect(loss(best / 1.02)).toBeGreaterThan(loss(best))
  })

  it.each([
    [
      'that say nothing',
      () => Array.from({ length: 60 }, (_, index) => row(index % 2 ? 5 : -5, index % 4 < 2)),
      50,
      60,
    ],
    ['far too timid', () => drawn(12).map((each) => ({ ...each, logit: each.logit / 1e6 })), 0.01, 0.02],
  ])('of logits %s stays within its range', (_, rows, least, most) => {
    const temperature = fitTemperature(rows())
    expect(temperature).toBeGreaterThan(least)
    expect(temperature).toBeLessThan(most)
  })
})

describe('steps', () => {
  it('where the rows say nothing are one, which is refused as upside down', () => {
    const rows = Array.from({ length: 80 }, (_, index) => row(Math.floor(index / 2), index % 2 === 0))
    expect(fitIsotonic(rows).logits).toHaveLength(1)
    expect(() => fitCalibration(rows, 'isotonic', 0.5, BY_LENGTH)).toThrow(/does not score fake rows above real/)
  })

  it('count rows by their weight', () => {
    const rows = [row(0, false), row(1, true, { weight: 1 }), row(1, false, { weight: 3 }), row(2, true)]
    expect(fitIsotonic(rows)).toEqual({ logits: [0, 1, 2], risks: [0.25, 0.25, 0.75] })
  })

  it('rise strictly in logits and never fall in risk, whatever the rows', () => {
    for (let seed = 20; seed < 40; seed++) {
      const random = seededRandom(seed)
      const rows = Array.from({ length: 400 }, () => row(Math.round(random() * 1e3) / 1e6, random() < 0.5))
      const { logits, risks } = fitIsotonic(rows)
      expect(new Set(logits).size).toBe(logits.length)
      expect(logits).toEqual(logits.toSorted((a, b) => a - b))
      expect(risks).toEqual(risks.toSorted((a, b) => a - b))
    }
  })

  it('of more than a manifest holds are the lightest two made one', () => {
    // 201 steps that cannot be pooled, as each holds a larger share of fakes; the lightest two lie side by side.
    const rows = Array.from({ length: 201 }, (_, index) => {
      const weight = index === 100 || index === 101 ? 0.001 : 1
      return [
        row(index, true, { weight: (weight * index) / 400 }),
        row(index, false, { weight: weight * (1 - index / 400) }),
      ]
    }).flat()
    const { logits } = fitIsotonic(rows)
    expect(logits).toHaveLength(200)
    expect(logits).toContain(100.5)
    expect(logits).not.toContain(100)
  })
})

describe('folds', () => {
  it('are the same whatever the order of the rows, and not by the order of names', () => {
    const groups = Array.from({ length: 50 }, (_, index) => `source ${index}`)
    const folds = foldsByGroup(groups)
    const ofReversed = foldsByGroup(groups.toReversed()).toReversed()
    expect(ofReversed).toEqual(folds)
    expect(folds.slice(0, 10)).not.toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    for (let fold = 0; fold < FOLDS; fold++) expect(folds.filter((each) => each === fold)).toHaveLength(10)
  })

  it('of a large group and small ones leave the large one alone', () => {
    const groups = [
      ...Array.from({ length: 100 }, () => 'large'),
      ...Array.from({ length: 40 }, (_, nth) => `small ${nth}`),
    ]
    const folds = foldsByGroup(groups)
    expect(folds.slice(100)).not.toContain(folds[0])
  })

  it('of fewer groups than folds leave folds empty, and of nothing are none', () => {
    expect(new Set(foldsByGroup(['a', 'b', 'a'])).size).toBe(2)
    expect(foldsByGroup([])).toEqual([])
  })
})

describe('the suggested band', () => {
  const many = (count: number, score: number, fake: boolean, weight = 1) =>
    Array.from({ length: count }, () => ({ score, fake, weight }))

  it.each([
    [10, 0.5],
    [9, 1],
  ])('needs ten rows beyond an end: %i fakes make it %d', (fakes, high) => {
    expect(suggestBand([...many(fakes, 0.8, true), ...many(20, 0.1, false)], 0.9).high).toBe(high)
  })

  it('is none where every verdict is right, its ends at a half', () => {
    const rows = [...many(20, 0.5, true), ...many(20, 0.49, false)]
    expect(suggestBand(rows, 0.9)).toEqual({ low: 0.49, high: 0.5, inside: 0 })
  })

  it('counts rows by their weight, so that a prior moves it', () => {
    const rows = (weight: number) => [
      ...many(20, 0.6, false, weight),
      ...many(20, 0.6, true),
      ...many(20, 0.9, true),
      ...many(20, 0.1, false),
    ]
    expect(suggestBand(rows(0.1), 0.9)).toMatchObject({ high: 0.5, inside: 0 })
    expect(suggestBand(rows(1), 0.9)).toMatchObject({ high: 0.61, inside: 0.5 })
  })

  it('takes the accuracy itself for enough', () => {
    const rows = [...many(9, 0.9, true), ...many(1, 0.9, false), ...many(10, 0.1, false)]
    expect(suggestBand(rows, 0.9)).toMatchObject({ low: 0.5, high: 0.5 })
    expect(suggestBand(rows, 0.91).high).toBe(1)
  })
})

import { describe, expect, it } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import { calibrationSchema } from '../../../src/detect/package/calibration-schema.js'
import { aggregateLogits, outputAsLogit, steadyLogit } from '../../../src/detect/scoring/aggregation.js'
import { calibrate, isUnsure, logitOf, sigmoid } from '../../../src/detect/scoring/calibration.js'
import { withReason } from '../../support/with-reason.js'

describe('sigmoid and logit', () => {
  it.each([
    [0, 0.5],
    [Math.log(3), 0.75],
    [-Math.log(3), 0.25],
    [1000, 1],
    [-1000, 0],
  ])('sigmoid(%d) is %d', (logit, probability) => expect(sigmoid(logit)).toBeCloseTo(probability, 12))

  it.each([0.001, 0.3, 0.5, 0.9])('logit undoes sigmoid at %d', (p) => expect(sigmoid(logitOf(p))).toBeCloseTo(p, 12))

  it('keeps the logit of 0 and 1 finite and symmetric', () => {
    expect(logitOf(1)).toBeCloseTo(13.8155, 3)
    expect(logitOf(0)).toBeCloseTo(-logitOf(1), 9)
  })
})

it.each([
  [{ kind: 'identity' } as const, 1, sigmoid(1)],
  [{ kind: 'platt', slope: 2, intercept: -1 } as const, 1, sigmoid(1)],
  [{ kind: 'platt', slope: 0.5, intercept: 0 } as const, -4, sigmoid(-2)],
])('calibrate %o of %d', (calibration, logit, risk) => expect(calibrate(logit, calibration)).toBe(risk))

describe('isUnsure', () => {
  it.each([
    [0.29, false],
    [0.3, false],
    [0.31, true],
    [0.7, false],
    [0.71, false],
  ])('risk %d in a band from 0.3 to 0.7: %s', (risk, unsure) => {
    expect(isUnsure(asRisk(risk), { low: 0.3, high: 0.7 })).toBe(unsure)
  })

  it.each([
    [0, 0, 0.7, true],
    [1, 0.3, 1, true],
    [0, 0, 1, true],
    [1, 0, 1, true],
    [1, 0, 0.7, false],
    [0, 0.3, 1, false],
  ])('risk %d in a band from %d to %d, where an end at 0 or 1 has no verdict: %s', (risk, low, high, unsure) => {
    expect(isUnsure(asRisk(risk), { low, high })).toBe(unsure)
  })

  it('a band of no width contains no risk', () => expect(isUnsure(asRisk(0.5), { low: 0.5, high: 0.5 })).toBe(false))
})

describe('outputAsLogit', () => {
  it('keeps a logit as it is', () => expect(outputAsLogit([-3.5], { outputKind: 'logit' })).toBe(-3.5))
  it('turns a probability into its logit', () =>
    expect(outputAsLogit([0.75], { outputKind: 'probability' })).toBeCloseTo(Math.log(3), 12))

  it.each([
    [Number.NaN, 'logit'],
    [Number.POSITIVE_INFINITY, 'logit'],
    [1.01, 'probability'],
    [-0.01, 'probability'],
  ] as const)('refuses %d as %s', (value, kind) => {
    expect(() => outputAsLogit([value], { outputKind: kind })).toThrow(withReason('detector-failed'))
  })
})

describe('outputAsLogit of classes', () => {
  it('weighs the fake classes against all others', () => {
    const classes = { outputKind: 'class-logits' as const, fakeClasses: [1] }
    expect(outputAsLogit([0.5, 2], classes)).toBeCloseTo(1.5, 12)
    expect(outputAsLogit([0, 2, 0], classes)).toBeCloseTo(2 - Math.log(2), 12)
    expect(outputAsLogit([1000, -1000], classes)).toBe(-2000)
  })

  it.each([
    [[1], [1]],
    [
      [1, 2],
      [0, 1],
    ],
    [[1, 2], [5]],
  ])('refuses %j with the fake classes %j', (values, fakeClasses) => {
    expect(() => outputAsLogit(values, { outputKind: 'class-logits', fakeClasses })).toThrow(
      withReason('detector-failed'),
    )
  })

  it('refuses several numbers where one is stated', () => {
    expect(() => outputAsLogit([1, 2], { outputKind: 'logit' })).toThrow(withReason('detector-failed'))
  })
})

describe('steadyLogit', () => {
  const classes = { outputKind: 'class-logits' as const, fakeClasses: [1] }
  const refused = withReason('detector-failed', /returned 4 classes, not 2/)

  it('refuses more classes than the first output had', () => {
    const logitOf = steadyLogit(classes)
    expect(() => logitOf([1])).toThrow(withReason('detector-failed'))
    expect(logitOf([0.5, 2])).toBeCloseTo(1.5, 12)
    expect(() => logitOf([0.5, 2, 0, 0])).toThrow(refused)
    expect(logitOf([0.5, 2])).toBeCloseTo(1.5, 12)
  })

  it('refuses at once a number of outputs that differs from the manifest', () => {
    expect(() => steadyLogit({ ...classes, classes: 2 })([0.5, 2, 0, 0])).toThrow(refused)
  })
})

describe('aggregateLogits', () => {
  it('takes the mean or the maximum', () => {
    expect(aggregateLogits([1, 2, 6], 'mean')).toBe(3)
    expect(aggregateLogits([1, 6, 2], 'max')).toBe(6)
  })

  it('takes the mean of the highest quarter, at least one', () => {
    expect(aggregateLogits([1, 2, 3, 4, 5, 6, 7, 8], 'top-mean')).toBe(7.5)
    expect(aggregateLogits([1, 6, 2], 'top-mean')).toBe(6)
  })

  it('refuses to score nothing', () => {
    expect(() => aggregateLogits([], 'mean')).toThrow(withReason('detector-failed'))
  })
})

describe('calibrationSchema and calibrate', () => {
  const isotonic = { kind: 'isotonic', logits: [-2, 0, 4], risks: [0.1, 0.1, 0.9] } as const
  it.each([
    [-9, 0.1],
    [0, 0.1],
    [2, 0.5],
    [9, 0.9],
  ])('interpolates %d between the knots: %d', (logit, risk) => {
    expect(calibrate(logit, calibrationSchema.parse(isotonic))).toBeCloseTo(risk, 12)
  })

  it('divides by the temperature', () =>
    expect(calibrate(3, { kind: 'temperature', temperature: 3 })).toBeCloseTo(sigmoid(1), 12))

  it('takes the bin of the length', () => {
    const bins = [
      { upTo: 500, slope: 1, intercept: -1 },
      { slope: 2, intercept: 0 },
    ]
    const calibration = calibrationSchema.parse({ kind: 'by-length', bins })
    expect(calibrate(1, calibration, 500)).toBeCloseTo(sigmoid(0), 12)
    expect(calibrate(1, calibration, 501)).toBeCloseTo(sigmoid(2), 12)
    expect(calibrate(1, calibration)).toBeCloseTo(sigmoid(2), 12)
  })
})

import { describe, expect, it } from 'vitest'
import { aggregateLogits, outputAsLogit } from '../../src/detect/aggregation.js'
import { calibrate, isUnsure, logitOf, sigmoid } from '../../src/detect/calibration.js'

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

describe('calibrate', () => {
  it.each([
    [{ kind: 'identity' } as const, 1, sigmoid(1)],
    [{ kind: 'platt', slope: 2, intercept: -1 } as const, 1, sigmoid(1)],
    [{ kind: 'platt', slope: 0.5, intercept: 0 } as const, -4, sigmoid(-2)],
  ])('%o of %d', (calibration, logit, risk) => expect(calibrate(logit, calibration)).toBe(risk))
})

describe('isUnsure', () => {
  it.each([
    [0.29, false],
    [0.3, false],
    [0.31, true],
    [0.7, false],
    [0.71, false],
  ])('risk %d in a band from 0.3 to 0.7: %s', (risk, unsure) => {
    expect(isUnsure(risk, { low: 0.3, high: 0.7 })).toBe(unsure)
  })

  it('a band of no width is never entered', () => expect(isUnsure(0.5, { low: 0.5, high: 0.5 })).toBe(false))
})

describe('outputAsLogit', () => {
  it('takes a logit as it is', () => expect(outputAsLogit(-3.5, 'logit')).toBe(-3.5))
  it('turns a probability into its logit', () =>
    expect(outputAsLogit(0.75, 'probability')).toBeCloseTo(Math.log(3), 12))

  it.each([
    [Number.NaN, 'logit'],
    [Number.POSITIVE_INFINITY, 'logit'],
    [1.01, 'probability'],
    [-0.01, 'probability'],
  ] as const)('refuses %d as %s', (value, kind) => {
    expect(() => outputAsLogit(value, kind)).toThrow(expect.objectContaining({ reason: 'detector-failed' }))
  })
})

describe('aggregateLogits', () => {
  it('takes the mean or the highest', () => {
    expect(aggregateLogits([1, 2, 6], 'mean')).toBe(3)
    expect(aggregateLogits([1, 6, 2], 'max')).toBe(6)
  })

  it('refuses to score nothing', () => {
    expect(() => aggregateLogits([], 'mean')).toThrow(expect.objectContaining({ reason: 'detector-failed' }))
  })
})

import { describe, expect, it } from 'vitest'
import {
  asRisk,
  basisPointsOf,
  percentOf,
  type Risk,
  type RiskPercent,
  riskOfBasisPoints,
  riskOfPercent,
  riskText,
  roundedRisk,
  scoreValues,
} from '../../src/core/risk.js'

const EVERY_BPS = Array.from({ length: 10_001 }, (_, bps) => bps)

/** A risk of whole basis points and some tenths of one, as a decimal text says it. */
const riskOf = (bps: number, tenths: number) => Number(`0.${String(bps).padStart(4, '0')}${tenths}`)

/** Digits after the point of a number as JSON has it. */
const decimals = (value: number) => JSON.stringify(value).split('.')[1]?.length ?? 0

describe('a risk', () => {
  it.each([87.5, 100, 1.0001, -0.0001, Number.NaN, Number.POSITIVE_INFINITY])('is never %d', (value) => {
    expect(() => asRisk(value)).toThrow(RangeError)
  })

  it.each([100.01, -0.01, Number.NaN])('is not created from %d percent', (percent) => {
    expect(() => riskOfPercent(percent)).toThrow(RangeError)
  })

  it('is the same number from either unit, so that two can be compared', () => {
    const wrong = EVERY_BPS.filter((bps) => {
      const risk = riskOfBasisPoints(bps)
      const percent = bps / 100
      return riskOfPercent(percent) !== risk || percentOf(risk) !== percent || basisPointsOf(risk) !== bps
    })
    expect(wrong).toEqual([])
  })

  it.each([33.333333, 12.345678, 0.0001, 99.999999])(
    'of %d percent is not rounded on the way in and out',
    (percent) => {
      expect(percentOf(riskOfPercent(percent))).toBe(percent)
    },
  )

  it('is rounded to what is sent to a service', () => {
    expect(roundedRisk(asRisk(0.876_543))).toBe(0.8765)
    expect(scoreValues(roundedRisk(asRisk(0.876_543)))).toEqual(scoreValues(asRisk(0.876_543)))
  })

  it.each([
    [0.5, undefined, '50'],
    [0.912, undefined, '91.2'],
    [0.876_543, undefined, '87.65'],
    [0.876_543, 1, '87.7'],
    [0.5, 2, '50.00'],
    [1, 0, '100'],
  ] as const)('of %d with %s decimals reads %s', (risk, decimals, text) => {
    expect(riskText(asRisk(risk), decimals)).toBe(text)
  })
})

describe('the values of a risk', () => {
  it.each([
    [0, 0, 0, 100],
    [1, 10_000, 100, 0],
    [0.5, 5000, 50, 50],
    [0.5731, 5731, 57.31, 42.69],
    [0.57314, 5731, 57.31, 42.69],
    [0.57315, 5732, 57.32, 42.68],
    [0.00005, 1, 0.01, 99.99],
    [0.00015, 2, 0.02, 99.98],
    [0.00004999, 0, 0, 100],
    [0.99995, 10_000, 100, 0],
    [0.999949, 9999, 99.99, 0.01],
    [Number.MIN_VALUE, 0, 0, 100],
    [1 - Number.EPSILON, 10_000, 100, 0],
  ])('%d', (risk, deepfakeRiskBps, deepfakeRiskScore, authenticityScore) => {
    expect(scoreValues(asRisk(risk))).toEqual({ deepfakeRiskBps, deepfakeRiskScore, authenticityScore })
  })

  it('of every basis point are exact in the other units', () => {
    const wrong = EVERY_BPS.filter((bps) => {
      const values = scoreValues(riskOfBasisPoints(bps))
      const sameRisk = values.deepfakeRiskBps === bps && Math.round(values.deepfakeRiskScore * 100) === bps
      const complement = Math.round(values.authenticityScore * 100) === 10_000 - bps
      const short = Math.max(decimals(values.deepfakeRiskScore), decimals(values.authenticityScore)) <= 2
      return !(sameRisk && complement && short)
    })
    expect(wrong).toEqual([])
  })

  it('are equal when recomputed from the percentage', () => {
    const wrong = EVERY_BPS.filter((bps) => {
      const values = scoreValues(riskOfBasisPoints(bps))
      return JSON.stringify(scoreValues(riskOfPercent(values.deepfakeRiskScore))) !== JSON.stringify(values)
    })
    expect(wrong).toEqual([])
  })

  it('at each half are those of the basis point above it, and just below it of that below', () => {
    const halves = EVERY_BPS.slice(0, -1)
    expect(halves.filter((bps) => scoreValues(asRisk(riskOf(bps, 5))).deepfakeRiskBps !== bps + 1)).toEqual([])
    expect(halves.filter((bps) => scoreValues(asRisk(riskOf(bps, 4))).deepfakeRiskBps !== bps)).toEqual([])
  })
})

const takesRisk = (risk: Risk) => risk
const takesPercent = (percent: RiskPercent) => percent

it('the compiler refuses a bare number, and one unit for the other', () => {
  // @ts-expect-error a bare number may be a percentage
  takesRisk(87.5)
  // @ts-expect-error a percentage is no probability
  takesRisk(percentOf(asRisk(0.875)))
  // @ts-expect-error a probability is no percentage
  takesPercent(asRisk(0.875))
  // @ts-expect-error a percentage is sent as it is
  scoreValues(percentOf(asRisk(0.875)))
  expect(takesRisk(riskOfPercent(takesPercent(percentOf(asRisk(0.875)))))).toBe(0.875)
})

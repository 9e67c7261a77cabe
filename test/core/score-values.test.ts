import { describe, expect, it } from 'vitest'
import { asRisk, riskOfBasisPoints, riskOfPercent, scoreValues } from '../../src/core/risk.js'

const EVERY_BPS = Array.from({ length: 10_001 }, (_, bps) => bps)

/** A risk of whole basis points and some tenths of one, as a decimal text says it. */
const riskOf = (bps: number, tenths: number) => Number(`0.${String(bps).padStart(4, '0')}${tenths}`)

/** Digits after the point of a number as JSON has it. */
const decimals = (value: number) => JSON.stringify(value).split('.')[1]?.length ?? 0

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

  it('of every basis point are that basis point in other units', () => {
    const wrong = EVERY_BPS.filter((bps) => {
      const values = scoreValues(riskOfBasisPoints(bps))
      const sameRisk = values.deepfakeRiskBps === bps && Math.round(values.deepfakeRiskScore * 100) === bps
      const complement = Math.round(values.authenticityScore * 100) === 10_000 - bps
      const short = Math.max(decimals(values.deepfakeRiskScore), decimals(values.authenticityScore)) <= 2
      return !(sameRisk && complement && short)
    })
    expect(wrong).toEqual([])
  })

  it('are the same again when they are made from the percentage', () => {
    const wrong = EVERY_BPS.filter((bps) => {
      const values = scoreValues(riskOfBasisPoints(bps))
      return JSON.stringify(scoreValues(riskOfPercent(values.deepfakeRiskScore))) !== JSON.stringify(values)
    })
    expect(wrong).toEqual([])
  })

  it('at each half are those of the basis point above it, and just below of that below', () => {
    const halves = EVERY_BPS.slice(0, -1)
    expect(halves.filter((bps) => scoreValues(asRisk(riskOf(bps, 5))).deepfakeRiskBps !== bps + 1)).toEqual([])
    expect(halves.filter((bps) => scoreValues(asRisk(riskOf(bps, 4))).deepfakeRiskBps !== bps)).toEqual([])
  })
})

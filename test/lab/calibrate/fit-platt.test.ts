import { describe, expect, it } from 'vitest'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { plattTargets } from '../../../src/lab/calibrate/calibration-row.js'
import { fitPlatt } from '../../../src/lab/calibrate/fit-platt.js'
import { weightedToPrior } from '../../../src/lab/metrics/class-weights.js'
import { drawn, row } from './drawn-rows.js'

describe('the line', () => {
  it('gives the share of fakes where all logits are equal', () => {
    const rows = [...Array.from({ length: 30 }, () => row(1, true)), ...Array.from({ length: 90 }, () => row(1, false))]
    const { intercept, slope } = fitPlatt(rows)
    expect(sigmoid(slope + intercept)).toBeCloseTo(0.26, 1)
    expect(Number.isFinite(slope) && Number.isFinite(intercept)).toBe(true)
  })

  it('is a minimum: no neighboring line fits better', () => {
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

  it('stays finite where the classes do not overlap, and its means meet its targets', () => {
    const rows = [row(-2, false), row(-1, false), row(1, true), row(2, true)]
    const { intercept, slope } = fitPlatt(rows)
    const mean = rows.reduce((sum, { logit }) => sum + sigmoid(slope * logit + intercept), 0) / 4
    const targets = plattTargets(rows)
    expect(slope).toBeGreaterThan(0)
    expect(mean).toBeCloseTo((targets.fake + targets.real) / 2, 6)
  })

  it.each([1000, 100_000])(
    'fits logits %i times as large by a line as much flatter, wherever it crosses 0.5',
    (times) => {
      const moved = drawn(10).map((each) => ({ ...each, logit: each.logit - 2 }))
      const [plain, large] = [1, times].map((by) =>
        fitPlatt(moved.map((each) => ({ ...each, logit: each.logit * by }))),
      )
      expect((large?.slope ?? 0) * times).toBeCloseTo(plain?.slope ?? 0, 3)
      expect(large?.intercept).toBeCloseTo(plain?.intercept ?? 0, 3)
    },
  )
})

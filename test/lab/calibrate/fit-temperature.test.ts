import { describe, expect, it } from 'vitest'
import { sigmoid } from '../../../src/detect/scoring/calibration.js'
import { plattTargets } from '../../../src/lab/calibrate/calibration-row.js'
import { fitTemperature } from '../../../src/lab/calibrate/fit-temperature.js'
import { drawn, row } from './drawn-rows.js'

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

  it('does not depend on the order of the rows', () => {
    const rows = drawn(6)
    expect(fitTemperature(rows.toReversed())).toBeCloseTo(fitTemperature(rows), 6)
  })

  it.each([1e-6, 1e4])('follows logits %d times as large', (times) => {
    const scaled = drawn(12).map((each) => ({ ...each, logit: each.logit * times }))
    expect(fitTemperature(scaled) / times).toBeCloseTo(fitTemperature(drawn(12)), 6)
  })

  it.each([
    ['that say nothing', Array.from({ length: 60 }, (_, index) => row(index % 2 ? 5 : -5, index % 4 < 2))],
    ['upside down', drawn(12).map((each) => ({ ...each, fake: !each.fake }))],
  ])('of logits %s is endless', (_, rows) => {
    expect(fitTemperature(rows)).toBe(Number.POSITIVE_INFINITY)
  })
})

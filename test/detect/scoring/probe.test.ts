import { describe, expect, it } from 'vitest'
import { isProbed } from '../../../src/detect/scoring/probe.js'

const decisionBand = { low: 0.3, high: 0.8 }

describe('isProbed', () => {
  it.each([
    [false, 0.1, false],
    [true, 0.001, true],
    [true, 0.5, false],
    [{ withinLogit: 0.5 }, 0.29, true],
    [{ withinLogit: 0.5 }, 0.1, false],
    [{ withinLogit: 0.5 }, 0.85, true],
    [{ withinLogit: 0.5 }, 0.95, false],
    [{ withinLogit: 0.5 }, 0.6, false],
  ])('with %o at a risk of %f: %s', (stabilityProbe, risk, probed) => {
    expect(isProbed(risk, { stabilityProbe, decisionBand })).toBe(probed)
  })

  it('counts the nearness to 50 % too', () => {
    expect(isProbed(0.45, { stabilityProbe: { withinLogit: 0.3 }, decisionBand: { low: 0.5, high: 0.5 } })).toBe(true)
  })
})

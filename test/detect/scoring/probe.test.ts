import { expect, it } from 'vitest'
import { asRisk } from '../../../src/core/risk.js'
import { isProbed } from '../../../src/detect/scoring/probe.js'

const decisionBand = { low: 0.3, high: 0.8 }

it.each([
  [false, 0.1, false],
  [true, 0.001, true],
  [true, 0.5, false],
  // Above the band and near its edge, but no re-encoding moves it from 0.85 to the other side of 0.5.
  [{ withinLogit: 0.5 }, 0.85, false],
  [{ withinLogit: 2 }, 0.85, true],
  [{ withinLogit: 2 }, 0.15, true],
  [{ withinLogit: 2 }, 0.1, false],
  [{ withinLogit: 2 }, 0.6, false],
])('isProbed with %o at a risk of %f: %s', (stabilityProbe, risk, probed) => {
  expect(isProbed(asRisk(risk), 0.5, { stabilityProbe, decisionBand })).toBe(probed)
})

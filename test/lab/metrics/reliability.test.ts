import { describe, expect, it } from 'vitest'
import { rankScores, sum } from '../../../src/lab/metrics/ranked-scores.js'
import { brierScore, expectedCalibrationError, reliabilityBins } from '../../../src/lab/metrics/reliability.js'
import { ROUNDS, randomRows } from './random-rows.js'

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)

  it('Brier score and calibration error are means over rows', () => {
    const squares = rows.map(({ fake, score }) => (score - Number(fake)) ** 2)
    expect(brierScore(ranked)).toBeCloseTo(sum(squares) / rows.length, 10)
    const errors = reliabilityBins(ranked).map((bin, index) => {
      const members = rows.filter(({ score }) => Math.min(9, Math.floor(score * 10)) === index)
      expect(bin.rows).toBe(members.length)
      if (members.length === 0) return 0
      return Math.abs(sum(members.map(({ score }) => score)) - members.filter(({ fake }) => fake).length)
    })
    expect(expectedCalibrationError(ranked)).toBeCloseTo(sum(errors) / rows.length, 10)
  })
})

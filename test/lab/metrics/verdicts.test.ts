import { describe, expect, it } from 'vitest'
import { rankScores } from '../../../src/lab/metrics/ranked-scores.js'
import { accuracy, f1 } from '../../../src/lab/metrics/verdicts.js'
import { ROUNDS, randomRows, share } from './random-rows.js'

describe.each(ROUNDS)('random rows %i', (seed) => {
  const rows = randomRows(seed)
  const ranked = rankScores(rows)
  const fakes = rows.filter(({ fake }) => fake)

  it('accuracy and F1 call 0.5 fake', () => {
    const flagged = rows.filter(({ score }) => score >= 0.5)
    expect(accuracy(ranked)).toBeCloseTo(
      share(rows, ({ fake, score }) => score >= 0.5 === fake),
      10,
    )
    const hits = flagged.filter(({ fake }) => fake).length
    expect(f1(ranked)).toBeCloseTo((2 * hits) / (flagged.length + fakes.length), 10)
  })
})

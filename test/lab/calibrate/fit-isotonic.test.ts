import { describe, expect, it } from 'vitest'
import { fitCalibration } from '../../../src/lab/calibrate/fit-calibration.js'
import { fitIsotonic } from '../../../src/lab/calibrate/fit-isotonic.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { BY_LENGTH, drawn, row } from './drawn-rows.js'

describe('steps', () => {
  it('are one where the rows give no information, which is refused as reversed', () => {
    const rows = Array.from({ length: 80 }, (_, index) => row(Math.floor(index / 2), index % 2 === 0))
    expect(fitIsotonic(rows).logits).toHaveLength(1)
    expect(() => fitCalibration(rows, 'isotonic', 0.5, BY_LENGTH)).toThrow(/does not score fake rows above real/)
  })

  it('pool falling values; ties are one', () => {
    const rows = [row(1, false), row(2, true), row(3, false), row(4, true), row(4, true), row(5, true)]
    // 1: real; 2 and 3 pooled to a half; 4 and 5 fake, kept from 1 by Platt's target of four fakes.
    expect(fitIsotonic(rows)).toEqual({ logits: [1, 2.5, 4.333333], risks: [0.25, 0.5, 0.833333] })
  })

  it('count rows by their weight', () => {
    const rows = [row(0, false), row(1, true, { weight: 1 }), row(1, false, { weight: 3 }), row(2, true)]
    expect(fitIsotonic(rows)).toEqual({ logits: [0, 1, 2], risks: [0.25, 0.25, 0.75] })
  })

  it('rise strictly in logits and never fall in risk, for any rows', () => {
    for (let seed = 20; seed < 40; seed++) {
      const random = seededRandom(seed)
      const rows = Array.from({ length: 400 }, () => row(Math.round(random() * 1e3) / 1e6, random() < 0.5))
      const { logits, risks } = fitIsotonic(rows)
      expect(new Set(logits).size).toBe(logits.length)
      expect(logits).toEqual(logits.toSorted((a, b) => a - b))
      expect(risks).toEqual(risks.toSorted((a, b) => a - b))
    }
  })

  it('do not depend on the order of the rows', () => {
    const rows = drawn(6)
    const { logits, risks } = fitIsotonic(rows)
    expect(fitIsotonic(rows.toReversed())).toEqual({ logits, risks })
  })

  it('beyond the limit of a manifest are joined, the lightest two first', () => {
    // 201 steps that cannot be pooled, as each holds a larger share of fakes; the lightest two lie side by side.
    const rows = Array.from({ length: 201 }, (_, index) => {
      const weight = index === 100 || index === 101 ? 0.001 : 1
      return [
        row(index, true, { weight: (weight * index) / 400 }),
        row(index, false, { weight: weight * (1 - index / 400) }),
      ]
    }).flat()
    const { logits } = fitIsotonic(rows)
    expect(logits).toHaveLength(200)
    expect(logits).toContain(100.5)
    expect(logits).not.toContain(100)
  })
})

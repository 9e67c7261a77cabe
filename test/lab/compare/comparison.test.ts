import { describe, expect, it } from 'vitest'
import { compareScored } from '../../../src/lab/compare/comparison.js'
import type { ScoredRow } from '../../../src/lab/evaluate/scored-row.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'

type Outcome = readonly [first: number | null, second: number | null, fake: boolean, source?: string]

/** What two detectors made of the same rows; null is a refusal. */
function scorings(outcomes: readonly Outcome[]): [ScoredRow[], ScoredRow[]] {
  const one = (risk: number | null, fake: boolean, index: number, source = '-') =>
    risk === null
      ? refusedRow(`row ${index}`, fake, { columns: { source } })
      : scoredRow(risk, fake, { id: `row ${index}`, columns: { source } })
  return [
    outcomes.map(([first, , fake, source], index) => one(first, fake, index, source)),
    outcomes.map(([, second, fake, source], index) => one(second, fake, index, source)),
  ]
}

const compare = (outcomes: readonly Outcome[], by: readonly string[] = []) =>
  compareScored(...scorings(outcomes), by, seededRandom(1))

describe('two detectors', () => {
  it('are compared on the rows that both scored; the others are counted', () => {
    const found = compare([
      [0.9, 0.8, true],
      [0.1, 0.2, false],
      [0.9, null, true],
      [0.9, null, false],
      [null, 0.1, true],
      [null, null, true],
    ])
    expect(found.rows).toEqual({ both: 2, onlyFirst: 2, onlySecond: 1, neither: 1 })
    expect(found.auc).toMatchObject({ first: 1, second: 1, difference: 0 })
  })

  it('agree where both are on the same side of one half, which itself is fake', () => {
    const found = compare([
      [0.5, 0.9, true],
      [0.49, 0.5, true],
      [0.1, 0.2, false],
      [0.6, 0.4, false],
    ])
    expect(found.agreement).toBe(0.5)
    expect(found.mcNemar).toMatchObject({ onlyFirstRight: 0, onlySecondRight: 2 })
  })

  it('are distinguished by which alone is right, in either class', () => {
    const found = compare([
      [0.9, 0.1, true],
      [0.1, 0.9, false],
      [0.9, 0.1, true],
      [0.9, 0.1, false],
      [0.9, 0.9, false],
      [0.1, 0.1, true],
    ])
    expect(found.mcNemar).toMatchObject({ onlyFirstRight: 3, onlySecondRight: 1 })
  })

  it('differ by the first minus the second: more AUC is better, more Brier is worse', () => {
    const outcomes = Array.from({ length: 40 }, (_, index): Outcome => {
      const fake = index % 2 === 0
      return [fake ? 0.9 : 0.1, fake ? 0.4 + (index % 4) / 10 : 0.5, fake]
    })
    const found = compare(outcomes)
    expect(found.better).toBe('first')
    expect(found.auc.difference).toBeCloseTo(1 - (found.auc.second ?? 0), 6)
    expect(found.auc.interval?.low).toBeGreaterThan(0)
    expect(found.brier.difference).toBeLessThan(0)
    const turned = compare(outcomes.map(([first, second, fake]): Outcome => [second, first, fake]))
    expect(turned.better).toBe('second')
    expect(turned.auc.difference).toBe(-(found.auc.difference ?? 0))
  })

  it.each([
    [9, 'undecided'],
    [10, 'first'],
  ])('with %i rows of each class are %s', (count, better) => {
    const outcomes = Array.from({ length: 2 * count }, (_, nth): Outcome => {
      const fake = nth % 2 === 0
      return [fake ? 0.9 : 0.1, fake ? 0.1 : 0.9, fake]
    })
    expect(compare(outcomes).better).toBe(better)
  })

  it('cannot be distinguished by rows of one class, or without rows', () => {
    const oneClass = compare([
      [0.9, 0.1, true],
      [0.8, 0.2, true],
    ])
    expect(oneClass).toMatchObject({
      better: 'undecided',
      auc: { first: null, difference: null, interval: null },
      mcNemar: { onlyFirstRight: 2 },
    })
    expect(compare([[null, 0.3, true]])).toMatchObject({
      rows: { both: 0 },
      agreement: null,
      better: 'undecided',
      brier: { first: null, interval: null },
    })
  })

  it('are compared in each group; a group of one class is set against all rows of the other', () => {
    const { groups } = compare(
      [
        [0.9, 0.1, true, 'lab'],
        [0.8, 0.2, true, 'lab'],
        [0.85, 0.9, false, 'cam'],
        [0.1, 0.15, false, 'cam'],
        [0.2, 0.9, true, '-'],
      ],
      ['source', 'absent'],
    )
    expect(groups.absent).toEqual([])
    expect(groups.source).toMatchObject([
      { value: 'lab', real: 0, fake: 2, first: 0.75, second: 0.25 },
      { value: 'cam', real: 2, fake: 0, first: 0.666667, second: 0.416667 },
    ])
  })
})

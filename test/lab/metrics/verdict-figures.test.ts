import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { rightAtLeast, type VerdictRow, verdictFigures, verdictOf } from '../../../src/lab/metrics/verdict-figures.js'

const many = (count: number, fake: boolean, called: VerdictRow['called'], source = 's') =>
  Array.from({ length: count }, (): VerdictRow => ({ fake, called, source }))

describe('the figures of verdicts', () => {
  it('are the same for any number of rows of a class', () => {
    const rows = (times: number) => [
      ...many(6 * times, true, 'fake'),
      ...many(2 * times, true, 'real'),
      ...many(2 * times, true, null),
      ...many(1, false, 'fake'),
      ...many(5, false, 'real'),
      ...many(4, false, null),
    ]
    const expected = { decided: 0.7, right: 1.1 / 1.4, rightWhenFake: 0.6 / 0.7, rightWhenReal: 0.5 / 0.7 }
    for (const times of [1, 30]) {
      for (const [name, value] of Object.entries(verdictFigures(rows(times))))
        expect(value).toBeCloseTo(expected[name as keyof typeof expected], 10)
    }
  })

  it('are unknown for a side without verdicts', () => {
    const found = verdictFigures([...many(5, true, null), ...many(5, false, 'real')])
    expect(found).toMatchObject({ decided: 0.5, right: 1, rightWhenReal: 1 })
    expect(found.rightWhenFake).toBeNaN()
  })

  it('count what is not unsure, by its side of one half, which itself is fake', () => {
    expect([0, 0.49, 0.5, 1].map((risk) => verdictOf(risk, false))).toEqual(['real', 'real', 'fake', 'fake'])
    expect([0.49, 0.5].map((risk) => verdictOf(risk, true))).toEqual([null, null])
  })

  it('are less certain where a few sources contain all mistakes', () => {
    const wrong = (sourceOf: (index: number) => string) => [
      ...Array.from(
        { length: 100 },
        (_, index): VerdictRow => ({
          fake: true,
          called: index < 20 ? 'real' : 'fake',
          source: sourceOf(index),
        }),
      ),
      ...many(50, false, 'real'),
      ...many(50, false, 'real', 't'),
    ]
    const spread =
      rightAtLeast(
        wrong((index) => `${index}`),
        seededRandom(3),
      ) ?? 1
    const held =
      rightAtLeast(
        wrong((index) => `${Math.floor(index / 20)}`),
        seededRandom(3),
      ) ?? 1
    expect(held).toBeLessThan(spread)
    expect(spread).toBeLessThan(0.9)
  })

  it('state no lower end where a class has one source', () => {
    const of = (fake: boolean, sources: number) =>
      Array.from(
        { length: 40 },
        (_, index): VerdictRow => ({
          fake,
          called: index % 4 === 0 ? 'real' : 'fake',
          source: `${index % sources}`,
        }),
      )
    expect(rightAtLeast([...of(true, 1), ...of(false, 10)], seededRandom(3))).toBeNull()
    expect(rightAtLeast([...of(true, 10), ...of(false, 1)], seededRandom(3))).toBeNull()
    expect(rightAtLeast([...of(true, 10), ...of(false, 10)], seededRandom(3))).toBeGreaterThan(0)
  })
})

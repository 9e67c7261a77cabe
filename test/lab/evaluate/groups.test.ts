import { describe, expect, it } from 'vitest'
import { groupRows, groupsBy, labeledScores } from '../../../src/lab/evaluate/groups.js'
import { seededRandom } from '../../../src/lab/metrics/seeded-random.js'
import { refusedRow, scoredRow } from '../../support/scored-rows.js'

describe('groups', () => {
  const of = (source: string, fake: boolean, risk = 0.5) => scoredRow(risk, fake, { columns: { source } })

  it('are the values of a column, largest first, without rows that lack one', () => {
    const rows = [of('a', true), of('b', true), of('b', false), of('-', true), of('', false), scoredRow(0.5, true)]
    const found = groupRows('source', rows)
    expect(found.map(({ value, members, against }) => [value, members.length, against])).toEqual([
      ['b', 2, 'own'],
      ['a', 1, 'all-real'],
    ])
    expect(found[0]?.ranked).toHaveLength(2)
  })

  it('of one class are set against every row of the other, stated or not', () => {
    const rows = [of('a', true), of('b', false), scoredRow(0.3, false), scoredRow(0.4, true)]
    const [a, b] = groupRows('source', rows)
    expect([a?.against, a?.ranked.length]).toEqual(['all-real', 3])
    expect([b?.against, b?.ranked.length]).toEqual(['all-fake', 3])
  })

  it('are at most sixty', () => {
    const rows = Array.from({ length: 61 }, (_, nth) => of(`s${nth}`, true))
    expect(groupRows('source', [...rows, of('s60', true)]).map(({ value }) => value)).toEqual([
      's60',
      ...Array.from({ length: 59 }, (_, nth) => `s${nth}`),
    ])
  })

  it('have their own shares: the unsure among the scored, and the rejected separately', () => {
    const unsure = scoredRow(0.5, true, { columns: { source: 'a' }, unsure: true, unsureBecause: 'band' })
    const rows = [of('a', true, 0.9), unsure, of('a', false, 0.2), refusedRow('r', false, { columns: { source: 'a' } })]
    const [group] = groupsBy('source', rows, seededRandom(1))
    expect(group).toMatchObject({
      real: 1,
      fake: 2,
      refused: 1,
      unsure: 0.333333,
      meanRisk: 0.533333,
      fakeFlagged: 1,
      realFlagged: 0,
      against: 'own',
    })
  })
})

it('labeled scores are those of the rows that have one', () => {
  const rows = [scoredRow(0.2, true), scoredRow(0.1, false), refusedRow('a', true)]
  expect(labeledScores(rows)).toEqual([
    { score: 0.2, fake: true },
    { score: 0.1, fake: false },
  ])
})

import { expect, it } from 'vitest'
import { historySampler, pointOf } from '../../../src/app/fleet/history-sampler.js'
import { AttestdError } from '../../../src/core/errors.js'
import { riskOfPercent } from '../../../src/core/risk.js'
import { History } from '../../../src/fleet/history.js'
import type { RecentRow } from '../../../src/fleet/recent-rows.js'
import { sampleState } from '../../observe/console-parts.js'
import { recentRow } from '../../support/fleet-cards.js'
import { ManualClock } from '../../support/manual-clock.js'

const STATE = sampleState().fleet!

const row = (assetId: string, facts: Partial<RecentRow> = {}) => recentRow({ assetId, outcome: 'verdict', ...facts })

const verdict = (assetId: string, algorithm: string, percent: number) =>
  row(assetId, { algorithm, risk: riskOfPercent(percent) })

/** A sampler over rows that the test changes; null: the queue is away. */
function newSampler() {
  const fleet = { rows: [] as RecentRow[] | null }
  const answer = <T>(value: T) =>
    fleet.rows ? Promise.resolve(value) : Promise.reject(new AttestdError('queue-unreachable'))
  const history = new History()
  const parts = { state: () => answer(STATE), records: () => answer(fleet.rows!) }
  return { fleet, history, sample: historySampler(parts, new ManualClock(5000), history) }
}

it('a point sums up the whole fleet', () => {
  const fresh = [
    verdict('a', 'one@1', 10),
    verdict('b', 'one@1', 30),
    verdict('c', '__proto__', 80),
    row('d', { outcome: 'abstained', reason: 'too-small' }),
    row('a', { outcome: 'accepted', openToRecordMs: 2000 }),
    row('b', { outcome: 'confirmed', openToRecordMs: 9000 }),
    row('c', { outcome: 'accepted', openToRecordMs: 3000 }),
  ]
  const { risks, ...point } = pointOf(STATE, fresh, 7)
  expect(point).toEqual({
    at: 7,
    perSecond: { analyze: 1.25, submit: 0 },
    waiting: { analyze: 14, submit: 0 },
    openToRecordMs: { median: 3000, longest: 9000 },
    abstained: 0.25,
  })
  expect(Object.entries(risks)).toEqual([
    ['one@1', 0.2],
    ['__proto__', 0.8],
  ])
})

it('counts each row once, none from before its start, and those that arrived while the queue was unreachable', async () => {
  const { fleet, history, sample } = newSampler()
  fleet.rows = [row('before', { outcome: 'abstained' })]
  await sample()
  fleet.rows = [verdict('a', 'one@1', 50), ...fleet.rows]
  await sample()
  await sample()
  const kept = fleet.rows
  fleet.rows = null
  await sample()
  fleet.rows = [row('c', { outcome: 'abstained' }), ...kept]
  await sample()
  expect(history.points.map(({ abstained }) => abstained)).toEqual([null, 0, null, null, 1])
  expect(history.points.map(({ waiting }) => waiting?.analyze ?? null)).toEqual([14, 14, 14, null, 14])
})

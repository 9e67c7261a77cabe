import { expect, it } from 'vitest'
import { asRisk } from '../../src/core/risk.js'
import { memoryFleet } from '../../src/fleet/memory-fleet.js'
import type { RecentRow } from '../../src/fleet/recent-rows.js'
import { keepRows, keptRows } from '../../src/fleet/recent-rows.js'
import { recentRow } from '../support/fleet-cards.js'
import { ManualClock } from '../support/manual-clock.js'

const row = (assetId: string, outcome: RecentRow['outcome']) =>
  recentRow({ assetId, outcome, risk: asRisk(0.125), algorithm: 'tiny@1.0.0', daemon: 'm:1' })

const named = (rows: readonly RecentRow[]) => rows.map(({ assetId, outcome }) => `${assetId} ${outcome}`)

it('rows return as they were stored, their risks as percentages', async () => {
  const store = memoryFleet(new ManualClock())
  await keepRows(store, [row('a', 'accepted')])
  expect(JSON.parse((await store.recent(1))[0]!)).toMatchObject({ risk: 12.5 })
  expect(await keptRows(store, 10)).toEqual([row('a', 'accepted')])
})

it('a row with the longest texts of a service does not keep others from being stored', async () => {
  const store = memoryFleet(new ManualClock())
  const assetId = 'a'.repeat(512)
  const long = { ...row(assetId, 'accepted'), scoreId: 's'.repeat(1000), message: 'm'.repeat(1000) }
  await keepRows(store, [row('b', 'accepted'), long])
  const [found, other] = await keptRows(store, 10)
  expect(other).toEqual(row('b', 'accepted'))
  expect(found).toEqual({ ...long, scoreId: 's'.repeat(500), message: 'm'.repeat(300) })
})

it('a verdict is shown until its outcome is known, in whatever order the two arrive', async () => {
  const store = memoryFleet(new ManualClock())
  await keepRows(store, [row('a', 'verdict'), row('b', 'verdict'), row('b', 'accepted'), row('c', 'closed')])
  await keepRows(store, [row('c', 'verdict')])
  expect(named(await keptRows(store, 10))).toEqual(['c closed', 'b accepted', 'a verdict'])
})

it.each(['', '[]', '{"at":1}', JSON.stringify({ ...row('x', 'accepted'), risk: 101 })])(
  'a malformed row is skipped: %j',
  async (text) => {
    const store = memoryFleet(new ManualClock())
    await keepRows(store, [row('a', 'abstained')])
    await store.append([text])
    expect(named(await keptRows(store, 10))).toEqual(['a abstained'])
  },
)

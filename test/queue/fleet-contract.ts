import { expect, it } from 'vitest'
import type { FleetStore } from '../../src/fleet/fleet-store.js'
import { MAX_RECORDS } from '../../src/fleet/fleet-store.js'
import type { QueueEngine } from '../../src/queue/queues.js'

/** What the store of every engine does for the daemons on it. */
export function fleetContract(open: () => QueueEngine): void {
  const store = (): FleetStore => open().fleet
  const texts = async () => Object.fromEntries((await store().announced()).map(({ id, text }) => [id, text]))

  it('knows a daemon by its last announcement, until it leaves', async () => {
    await store().announce('one', 'first')
    await store().announce('two', 'other')
    await store().announce('one', 'second')
    expect(await texts()).toEqual({ one: 'second', two: 'other' })
    const [found] = await store().announced()
    expect(found!.agoMs).toBeGreaterThanOrEqual(0)
    await store().leave('one')
    await store().leave('nobody')
    expect(await texts()).toEqual({ two: 'other' })
  })

  it('keeps the newest records, newest first, up to its limit', async () => {
    const rows = Array.from({ length: MAX_RECORDS + 3 }, (_, nth) => `row ${nth}`)
    await store().append(rows.slice(0, -1))
    await store().append(rows.slice(-1))
    const all = await store().recent(10_000)
    expect(all).toHaveLength(MAX_RECORDS)
    expect(all.slice(0, 2)).toEqual([`row ${MAX_RECORDS + 2}`, `row ${MAX_RECORDS + 1}`])
    expect(await store().recent(1)).toEqual([`row ${MAX_RECORDS + 2}`])
  })

  it('reports waiting jobs by priority, the first of each first', async () => {
    const engine = open()
    const lines = [
      { priority: 1, limit: 2 },
      { priority: 10, limit: 1 },
    ]
    expect(await engine.waiting('analyze-image', lines)).toEqual([
      { waiting: 0, addedAt: [] },
      { waiting: 0, addedAt: [] },
    ])
    const before = Date.now()
    for (const id of ['w1', 'w2']) await engine.add('analyze-image', id, {}, { priority: 10 })
    for (const id of ['w3', 'w4', 'w5']) await engine.add('analyze-image', id, {}, { priority: 1 })
    const [urgent, standard] = await engine.waiting('analyze-image', lines)
    expect([urgent!.waiting, standard!.waiting]).toEqual([3, 2])
    expect([urgent!.addedAt.length, standard!.addedAt.length]).toEqual([2, 1])
    expect(standard!.addedAt[0]).toBeGreaterThanOrEqual(before)
    expect(standard!.addedAt[0]).toBeLessThanOrEqual(urgent!.addedAt[0]!)
    expect(urgent!.addedAt[0]).toBeLessThanOrEqual(urgent!.addedAt[1]!)
    await engine.drain('analyze-image')
  })
}

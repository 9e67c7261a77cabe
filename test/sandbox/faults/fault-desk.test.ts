import { expect, it } from 'vitest'
import { FaultDesk } from '../../../src/sandbox/faults/fault-desk.js'

it('a fault plan is remembered by its last 10,000 faults, and counted by route and key until it is reset', () => {
  const desk = new FaultDesk({ rules: [{ route: 'one', fault: 'slow' }] })
  for (let nth = 0; nth <= 10_000; nth++) desk.next('one', 'a')
  expect(desk.injected()).toHaveLength(10_000)
  expect([desk.injected()[0]?.attempt, desk.injected().at(-1)?.attempt]).toEqual([2, 10_001])
  desk.next('list', 'a')
  expect(desk.counts()).toEqual([
    { route: 'one', key: 'a', count: 10_001 },
    { route: 'list', key: 'a', count: 1 },
  ])
  desk.reset()
  expect([desk.injected(), desk.counts(), desk.plan.rules.length]).toEqual([[], [], 1])
  expect(desk.next('one', 'a').attempt).toBe(1)
})

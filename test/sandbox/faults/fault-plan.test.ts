import { describe, expect, it } from 'vitest'
import { FaultDesk } from '../../../src/sandbox/faults/fault-desk.js'
import { FaultPlanSchema } from '../../../src/sandbox/faults/faults.js'

describe('a fault plan', () => {
  it.each([
    ['ms', 3_600_000, 3_600_001],
    ['ms', 0, -1],
    ['bytes', 256 * 1024 * 1024, 256 * 1024 * 1024 + 1],
    ['bytes', 1, 0],
    ['retryAfterSeconds', 0, -0.1],
    ['retryAfterSeconds', 0.5, '1'],
    ['probability', 0, -0.1],
    ['probability', 1, 1.01],
    ['untilAttempt', 1, 0],
    ['attempts', [1], [1.5]],
  ])('takes %s %j and refuses %j', (field, good, bad) => {
    const plan = (value: unknown) =>
      FaultPlanSchema.safeParse({ rules: [{ route: 'score', fault: 'slow', [field]: value }] })
    expect(plan(good).success).toBe(true)
    expect(plan(bad).success).toBe(false)
  })

  it('has a thousand rules at most', () => {
    const rules = (length: number) => Array.from({ length }, () => ({ route: 'score', fault: 'slow' }))
    expect([1000, 1001].map((count) => FaultPlanSchema.safeParse({ rules: rules(count) }).success)).toEqual([
      true,
      false,
    ])
  })

  it('is remembered by its last 10,000 faults, and counted by route and key until it is reset', () => {
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
})

import { describe, expect, it } from 'vitest'
import { FaultDesk } from '../../../src/sandbox/faults/fault-desk.js'
import {
  FAULT_KINDS,
  FAULT_ROUTES,
  type FaultPlanInput,
  FaultPlanSchema,
  type FaultRoute,
  faultsOf,
} from '../../../src/sandbox/faults/faults.js'

const RULES: FaultPlanInput['rules'] = [
  { route: 'score', fault: 'lost-reply', probability: 0.3 },
  { route: 'score', fault: 'status-500', probability: 0.3 },
  { route: 'list', fault: 'status-429', probability: 0.5 },
  { route: 'gateway', fault: 'bad-block', attempts: [1] },
]

const keys = Array.from({ length: 50 }, (_, index) => `asset-${index}`)

/** The faults of five attempts at every key, asked for in the order that `order` gives. */
function faultsBy(seed: string, order: <T>(list: T[]) => T[]): Record<string, (string | null)[]> {
  const desk = new FaultDesk({ seed, rules: RULES })
  const result: Record<string, (string | null)[]> = Object.fromEntries(keys.map((key) => [key, []]))
  const rounds = order([...keys, ...keys, ...keys, ...keys, ...keys])
  for (const key of rounds) {
    desk.next('list', 'list')
    result[key]?.push(desk.next('score', key).fault?.kind ?? null)
  }
  return result
}

const asIs = <T>(list: T[]) => list
const backwards = <T>(list: T[]) => list.toReversed()
const sorted = <T>(list: T[]) => list.toSorted()

describe('a plan', () => {
  it('gives the same faults for the same seed, in any order of requests', () => {
    const first = faultsBy('s', asIs)
    expect(faultsBy('s', asIs)).toEqual(first)
    expect(faultsBy('s', backwards)).toEqual(first)
    expect(faultsBy('s', sorted)).toEqual(first)
  })

  it('gives other faults for another seed', () => {
    expect(faultsBy('t', asIs)).not.toEqual(faultsBy('s', asIs))
  })

  it('hits about as often as the probability states, each rule separately', () => {
    const all = Object.values(faultsBy('u', asIs)).flat()
    const share = (kind: string | null) => all.filter((fault) => fault === kind).length / all.length
    // 250 draws: each share is within 0.1 of 0.3, 0.7 * 0.3 and 0.7 * 0.7.
    expect(Math.abs(share('lost-reply') - 0.3)).toBeLessThan(0.1)
    expect(Math.abs(share('status-500') - 0.21)).toBeLessThan(0.1)
    expect(Math.abs(share(null) - 0.49)).toBeLessThan(0.1)
  })

  it.each([
    [{ attempts: [2, 4] }, [false, true, false, true, false]],
    [{ untilAttempt: 2 }, [true, true, false, false, false]],
    [{ probability: 0 }, [false, false, false, false, false]],
    [{ key: 'a' }, [true, true, true, true, true]],
    [{ key: 'b' }, [false, false, false, false, false]],
    [{}, [true, true, true, true, true]],
  ])('%j', (when, expected) => {
    const desk = new FaultDesk({ rules: [{ route: 'one', fault: 'status-503', ...when }] })
    expect(expected.map(() => desk.next('one', 'a').fault !== null)).toEqual(expected)
    expect(desk.next('list', 'a').fault).toBeNull()
  })

  it('takes the first matching rule', () => {
    const desk = new FaultDesk({
      rules: [
        { route: 'one', fault: 'reset', attempts: [1] },
        { route: 'one', fault: 'slow' },
      ],
    })
    expect([desk.next('one', 'a').fault?.kind, desk.next('one', 'a').fault?.kind]).toEqual(['reset', 'slow'])
  })

  it('continues counting when it is replaced, and keeps what it injected', () => {
    const desk = new FaultDesk({})
    desk.next('one', 'a')
    desk.setPlan({ rules: [{ route: 'one', fault: 'reset', attempts: [2] }] })
    expect(desk.next('one', 'a')).toMatchObject({ attempt: 2, fault: { kind: 'reset' } })
    expect(desk.injected()).toMatchObject([{ kind: 'reset', route: 'one', key: 'a', attempt: 2 }])
    expect(desk.counts()).toEqual([{ route: 'one', key: 'a', count: 2 }])
  })
})

describe('a rule', () => {
  it.each([
    ['an unknown route', { route: 'scores', fault: 'reset' }],
    ['an unknown fault', { route: 'score', fault: 'status-418' }],
    ['a fault of another route', { route: 'score', fault: 'bad-block' }],
    ['a probability above 1', { route: 'score', fault: 'reset', probability: 1.1 }],
    ['attempt 0', { route: 'score', fault: 'reset', attempts: [0] }],
    ['an unknown field', { route: 'score', fault: 'reset', nth: 1 }],
  ])('is refused with %s', (_name, rule) => {
    expect(FaultPlanSchema.safeParse({ rules: [rule] }).success).toBe(false)
  })

  it('has a route for every kind', () => {
    const shown = new Set(FAULT_ROUTES.flatMap((route: FaultRoute) => faultsOf(route)))
    expect([...FAULT_KINDS].filter((kind) => !shown.has(kind))).toEqual([])
  })
})

describe('the bounds of a plan', () => {
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
  ])('accepts %s %j and refuses %j', (field, good, bad) => {
    const plan = (value: unknown) =>
      FaultPlanSchema.safeParse({ rules: [{ route: 'score', fault: 'slow', [field]: value }] })
    expect(plan(good).success).toBe(true)
    expect(plan(bad).success).toBe(false)
  })

  it('allows a thousand rules at most', () => {
    const rules = (length: number) => Array.from({ length }, () => ({ route: 'score', fault: 'slow' }))
    expect([1000, 1001].map((count) => FaultPlanSchema.safeParse({ rules: rules(count) }).success)).toEqual([
      true,
      false,
    ])
  })
})

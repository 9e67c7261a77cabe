import { describe, expect, it } from 'vitest'
import { checkOptions } from '../../src/sandbox/check-options.js'
import { FaultDesk } from '../../src/sandbox/faults/fault-desk.js'
import { FaultPlanSchema } from '../../src/sandbox/faults/faults.js'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.js'
import { ServiceTime } from '../../src/sandbox/service-time.js'
import { StreamHub } from '../../src/sandbox/stream/stream-hub.js'
import { ManualClock } from '../support/manual-clock.js'

const KEY = { accessKey: 'ak', signingSecret: 's', wallet: `0x${'a'.repeat(40)}` }

describe('options of the sandbox', () => {
  it.each<[string, unknown, unknown]>([
    ['port', 0, -1],
    ['port', 65_535, 65_536],
    ['headerPrefix', 'X-Acme2', '2Acme'],
    ['headerPrefix', 'a', 'Acme_'],
    ['timestampWindowMs', 1, 0],
    ['heartbeatMs', 1, 0],
    ['streamPollMs', 1, 0.5],
    ['chunkBytes', 1024 * 1024, 1024 * 1024 + 1],
    ['chunkBytes', 1, 0],
    ['chainId', 1, 0],
    ['chain', 'memory', 'hardhat'],
    ['dataDirectory', 'x', ''],
    ['rateLimit', null, { requests: 0, windowMs: 1 }],
    ['rateLimit', { requests: 1, windowMs: 1 }, { requests: 1, windowMs: 0 }],
    ['attesterKey', KEY, { ...KEY, accessKey: 'a b' }],
    ['attesterKey', { ...KEY, accessKey: 'x'.repeat(200) }, { ...KEY, accessKey: 'x'.repeat(201) }],
    ['submitterKey', KEY, { ...KEY, signingSecret: '' }],
    ['submitterKey', KEY, { ...KEY, wallet: '0x1' }],
    ['attesterWallet', `0x${'A'.repeat(40)}`, '0xnone'],
    ['faults', { rules: [] }, { rules: [{ route: 'score', fault: 'bad-block' }] }],
    ['allowRemote', true, { never: true }],
  ])('%s may be %j, never %j', (name, good, bad) => {
    expect(() => checkOptions({ [name]: good } as Partial<SandboxOptions>)).not.toThrow()
    if (name === 'allowRemote') return
    expect(() => checkOptions({ [name]: bad } as Partial<SandboxOptions>)).toThrow(
      expect.objectContaining({ reason: 'setting-invalid', message: expect.stringContaining(name) }),
    )
  })

  it('keep the two keys apart', () => {
    const both = (submitter: string) =>
      checkOptions({ attesterKey: KEY, submitterKey: { ...KEY, accessKey: submitter } } as never)
    expect(() => both('ak2')).not.toThrow()
    expect(() => both('ak')).toThrow(/must differ/)
  })

  it.each([
    ['0.0.0.0', undefined, false],
    ['0.0.0.0', false, false],
    ['0.0.0.0', true, true],
    ['127.0.0.1', undefined, true],
    ['localhost', undefined, true],
    [undefined, undefined, true],
  ])('let it listen on %s with allowRemote %s: %s', (host, allowRemote, isFine) => {
    const check = () =>
      checkOptions({ ...(host ? { host } : {}), ...(allowRemote === undefined ? {} : { allowRemote }) })
    if (isFine) expect(check).not.toThrow()
    else expect(check).toThrow(/does not listen on/)
  })
})

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

it('service time runs ahead of local time, or behind, in whole milliseconds', () => {
  const clock = new ManualClock(1000)
  const time = new ServiceTime(clock, 500)
  expect([time.now(), time.offsetMs]).toEqual([1500, 500])
  time.setOffset(-250.4)
  clock.tick(10)
  expect(time.now()).toBe(760)
})

it('all streams are cut at once, also where one takes itself out by it', () => {
  const hub = new StreamHub()
  const cut: string[] = []
  const forget = hub.add(() => {
    cut.push('a')
    forget()
  })
  hub.add(() => cut.push('b'))()
  hub.add(() => cut.push('c'))
  expect([hub.size, hub.cutAll(), hub.size]).toEqual([2, 2, 1])
  expect(cut).toEqual(['a', 'c'])
})

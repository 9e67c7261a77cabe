import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { VERSION } from '../../src/core/version.js'
import { createHealth } from '../../src/observe/health.js'
import { ManualClock } from '../support/manual-clock.js'

function setUp() {
  const clock = new ManualClock()
  return { clock, health: createHealth({ clock }) }
}

it('is not ready before a check is registered', async () => {
  expect(await setUp().health.readiness()).toEqual({ ready: false, checks: [] })
})

it('is ready when every check passes, and names a failed one with its fix', async () => {
  const { clock, health } = setUp()
  let enough = true
  health.register('queue', async () => ({ ok: true, message: 'The queue answers.' }))
  health.register('stake', () =>
    enough
      ? { ok: true, message: 'Enough.' }
      : { ok: false, reason: 'stake-low', message: '1 of 2 wei.', detail: { wei: 1 } },
  )
  expect((await health.readiness()).ready).toBe(true)
  enough = false
  await clock.advance(1000)
  const { ready, checks } = await health.readiness()
  expect(ready).toBe(false)
  expect(checks[1]).toEqual({
    name: 'stake',
    ok: false,
    reason: 'stake-low',
    message: '1 of 2 wei.',
    detail: { wei: 1 },
    fix: "Top up the stake of the key's wallet; submission resumes by itself.",
  })
})

it('is not ready when a check throws, with its reason', async () => {
  const { health } = setUp()
  health.register('queue', () => {
    throw new AttestdError('queue-unreachable', 'No answer from Redis.', { fix: 'Wake it.' })
  })
  health.register('other', () => Promise.reject(new Error('odd')))
  const { checks } = await health.readiness()
  expect(checks).toMatchObject([
    { name: 'queue', ok: false, reason: 'queue-unreachable', message: 'No answer from Redis.', fix: 'Wake it.' },
    { name: 'other', ok: false, reason: 'internal-error', message: 'odd' },
  ])
})

it('does not wait for a check that hangs, and leaves no timer behind', async () => {
  const { clock, health } = setUp()
  health.register('hangs', () => new Promise(() => {}))
  health.register('queue', () => new Promise(() => {}), 'queue-unreachable')
  health.register('fine', () => ({ ok: true, message: 'Fine.' }))
  const readiness = health.readiness()
  await clock.advance(2000)
  expect((await readiness).checks.map(({ name, ok, reason }) => [name, ok, reason])).toEqual([
    ['hangs', false, 'internal-error'],
    ['queue', false, 'queue-unreachable'],
    ['fine', true, undefined],
  ])
  expect(clock.sleeping).toBe(0)
})

it('shares one run among the probes of a second', async () => {
  const { clock, health } = setUp()
  let runs = 0
  health.register('counted', () => {
    runs += 1
    return { ok: true, message: `Run ${runs}.` }
  })
  await Promise.all([health.readiness(), health.readiness()])
  clock.tick(999)
  await health.readiness()
  expect(runs).toBe(1)
  clock.tick(1)
  await health.readiness()
  expect(runs).toBe(2)
})

it('reports version and uptime', async () => {
  const { clock, health } = setUp()
  clock.tick(61_400)
  expect(health.liveness()).toEqual({ alive: true, version: VERSION, uptimeSeconds: 61 })
})

it('checks again after a tenth of a second while it is not ready, so that readiness shows at once', async () => {
  const { clock, health } = setUp()
  let runs = 0
  health.register('late', () => {
    runs += 1
    return { ok: runs > 2, message: '' }
  })
  const ready = async () => (await health.readiness()).ready
  expect(await ready()).toBe(false)
  clock.tick(99)
  expect([await ready(), runs]).toEqual([false, 1])
  clock.tick(1)
  expect([await ready(), runs]).toEqual([false, 2])
  clock.tick(100)
  expect([await ready(), runs]).toEqual([true, 3])
  clock.tick(999)
  expect([await ready(), runs]).toEqual([true, 3])
})

it('runs a check at once that is registered later or replaces another', async () => {
  const { health } = setUp()
  health.register('queue', () => ({ ok: true, message: 'old' }))
  await health.readiness()
  health.register('queue', () => ({ ok: false, message: 'new' }))
  health.register('stake', () => ({ ok: true, message: 'Enough.' }))
  expect((await health.readiness()).checks.map(({ name, message }) => [name, message])).toEqual([
    ['queue', 'new'],
    ['stake', 'Enough.'],
  ])
})

it('uses the fix of the deployment where it has one', async () => {
  const fixes = { 'stake-low': 'Call the treasurer.' }
  const health = createHealth({ clock: new ManualClock(), fixes })
  health.register('stake', () => ({ ok: false, reason: 'stake-low', message: '' }))
  health.register('fine', () => ({ ok: true, message: '' }))
  expect((await health.readiness()).checks.map(({ fix }) => fix)).toEqual(['Call the treasurer.', undefined])
})

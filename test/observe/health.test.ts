import { expect, it } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { createHealth } from '../../src/observe/health.js'
import { ManualClock } from '../support/manual-clock.js'

function setUp() {
  const clock = new ManualClock()
  const results: [string, boolean][] = []
  const health = createHealth({ clock, version: '1.2.3', onResult: (name, ok) => results.push([name, ok]) })
  return { clock, health, results }
}

it('is not ready before a check is registered', async () => {
  expect(await setUp().health.readiness()).toEqual({ ready: false, checks: [] })
})

it('is ready when every check is fine, and names the one that is not with its fix', async () => {
  const { clock, health, results } = setUp()
  let enough = true
  health.register('queue', async () => ({ ok: true, says: 'The queue answers.' }))
  health.register('stake', () =>
    enough
      ? { ok: true, says: 'Enough.' }
      : { ok: false, reason: 'stake-low', says: '1 of 2 wei.', detail: { wei: 1 } },
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
    says: '1 of 2 wei.',
    detail: { wei: 1 },
    fix: "Top up the stake of the key's wallet; submission resumes by itself.",
  })
  expect(results).toEqual([
    ['queue', true],
    ['stake', true],
    ['queue', true],
    ['stake', false],
  ])
})

it('takes a check that throws as not ready, with its reason', async () => {
  const { health } = setUp()
  health.register('queue', () => {
    throw new AttestdError('queue-unreachable', 'No answer from Redis.')
  })
  health.register('other', () => Promise.reject(new Error('odd')))
  const { checks } = await health.readiness()
  expect(checks).toMatchObject([
    { name: 'queue', ok: false, reason: 'queue-unreachable', says: 'No answer from Redis.' },
    { name: 'other', ok: false, reason: 'internal-error', says: 'odd' },
  ])
})

it('does not wait for a check that hangs, and leaves no timer behind', async () => {
  const { clock, health } = setUp()
  health.register('hangs', () => new Promise(() => {}))
  health.register('fine', () => ({ ok: true, says: 'Fine.' }))
  const readiness = health.readiness()
  await clock.advance(2000)
  expect((await readiness).checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['hangs', false],
    ['fine', true],
  ])
  expect(clock.sleeping).toBe(0)
})

it('shares one run among the probes of a second', async () => {
  const { clock, health } = setUp()
  let runs = 0
  health.register('counted', () => {
    runs += 1
    return { ok: true, says: `Run ${runs}.` }
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
  expect(health.liveness()).toEqual({ alive: true, version: '1.2.3', uptimeSeconds: 61 })
})

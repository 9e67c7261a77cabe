import { expect, it } from 'vitest'
import { ReadinessWatch } from '../../../src/app/daemon/readiness-watch.js'
import type { CheckResult } from '../../../src/observe/health.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import { ManualClock } from '../../support/manual-clock.js'

function setUp() {
  const lines: string[] = []
  const write = (level: string) => (facts: object, message: string) =>
    void lines.push([level, message, ...Object.values(facts)].join(' '))
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const metrics = createMetrics({ clock: new ManualClock(), processMetrics: false })
  const watch = new ReadinessWatch({ log, metrics })
  const look = (stake: CheckResult) => watch.look({ ready: stake.ok, checks: [{ name: 'stake', ...stake }] })
  const series = async () => (await metrics.text()).split('\n').filter((line) => /^attestd_(not_)?ready\{/.test(line))
  return { lines, look, series }
}

const good: CheckResult = { ok: true, message: 'Enough.' }
const low: CheckResult = { ok: false, reason: 'stake-low', message: 'Too little.' }
const unknown: CheckResult = { ok: false, reason: 'stake-unknown', message: 'Not read.' }

it('a check that goes on failing is one line by its reason, and one when it passes again', () => {
  const { lines, look } = setUp()
  for (const result of [good, low, low, low, good, good]) look(result)
  expect(lines).toEqual([
    'warn readiness check failed stake stake-low Too little.',
    'info readiness check passed again stake stake-low',
  ])
})

it('one that fails for a moment while the daemon starts is no line, and one that goes on is', () => {
  const { lines, look } = setUp()
  for (const result of [unknown, low, good]) look(result)
  expect(lines).toEqual([])
  const slow = setUp()
  for (const result of [low, low]) slow.look(result)
  expect(slow.lines).toEqual(['warn readiness check failed stake stake-low Too little.'])
})

it('another reason is another line', () => {
  const { lines, look } = setUp()
  for (const result of [good, unknown, low]) look(result)
  expect(lines.map((line) => line.split(' ')[5])).toEqual(['stake-unknown', 'stake-low'])
})

it('the metrics have a series of the check, one of 1 for the reason of now, and 0 for those before', async () => {
  const { look, series } = setUp()
  look(unknown)
  look(low)
  expect(await series()).toEqual([
    'attestd_ready{check="stake"} 0',
    'attestd_not_ready{check="stake",reason="stake-unknown"} 0',
    'attestd_not_ready{check="stake",reason="stake-low"} 1',
  ])
  look(good)
  const [ready, , notReady] = await series()
  expect(ready).toBe('attestd_ready{check="stake"} 1')
  expect(notReady).toMatch(/stake-low"} 0$/)
})

import { expect, it } from 'vitest'
import { ReadinessWatch } from '../../../src/app/daemon/readiness-watch.js'
import type { CheckResult } from '../../../src/observe/health.js'
import { KeptLog } from '../../support/kept-log.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

function setUp() {
  const log = new KeptLog()
  const metrics = newMetrics()
  const watch = new ReadinessWatch({ log, metrics })
  const look = (stake: CheckResult) => watch.look({ ready: stake.ok, checks: [{ name: 'stake', ...stake }] })
  const series = () => metricLines(metrics, /^attestd_(not_)?ready\{/)
  const lines = () => log.lines.map(({ level, message, check, reason }) => [level, message, check, reason].join(' '))
  return { lines, look, series }
}

const good: CheckResult = { ok: true, message: 'Enough.' }
const low: CheckResult = { ok: false, reason: 'stake-low', message: 'Too little.' }
const unknown: CheckResult = { ok: false, reason: 'stake-unknown', message: 'Not read.' }

it('a check that keeps failing is logged once with its reason, and once when it passes again', () => {
  const { lines, look } = setUp()
  for (const result of [good, low, low, low, good, good]) look(result)
  expect(lines()).toEqual([
    'warn readiness check failed stake stake-low',
    'info readiness check passed again stake stake-low',
  ])
})

it('a check that fails for a moment during the start is not logged; one that keeps failing is', () => {
  const { lines, look } = setUp()
  for (const result of [unknown, low, good]) look(result)
  expect(lines()).toEqual([])
  const slow = setUp()
  for (const result of [low, low]) slow.look(result)
  expect(slow.lines()).toEqual(['warn readiness check failed stake stake-low'])
})

it('another reason is logged on its own line', () => {
  const { lines, look } = setUp()
  for (const result of [good, unknown, low]) look(result)
  expect(lines().map((line) => line.split(' ')[5])).toEqual(['stake-unknown', 'stake-low'])
})

it('the metrics have one series per check and reason: 1 for the current reason, 0 for earlier ones', async () => {
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

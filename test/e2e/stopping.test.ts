import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Clock, systemClock } from '../../src/core/clock.js'
import { deferred } from '../queue/queue-support.js'
import { benchOfTest } from '../support/bench-of-test.js'
import type { DaemonBench } from '../support/daemon-bench.js'

/** Signals closer together than half a second are one wish. */
const NEXT_REQUEST_MS = 700
const GATEWAY_MS = 60_000

async function setUp(clock: Clock = systemClock): Promise<DaemonBench> {
  const bench = await benchOfTest({ clock, faults: { rules: [{ route: 'gateway', fault: 'slow', ms: GATEWAY_MS }] } })
  await bench.registerMany(8, 'stopping')
  return bench
}

it('the first SIGTERM lets active work finish and leaves the rest to the next start; SIGUSR1 opens no debugger', async () => {
  const stopping = deferred()
  const answer: Clock['sleep'] = (ms, signal) => (ms === GATEWAY_MS ? stopping.promise : systemClock.sleep(ms, signal))
  const bench = await setUp({ ...systemClock, sleep: answer })
  const daemon = bench.start({ ATTESTD_ANALYZE_CONCURRENCY: '2' })
  await bench.until('work under way', () => bench.requests('gateway') > 2)
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) daemon.signal(signal)
  const ignored = () => daemon.log.filter(({ msg }) => msg === 'signal was ignored')
  await bench.until('the signals', () => ignored().length === 2)
  expect(daemon.output).not.toContain('Debugger listening')
  daemon.signal('SIGTERM')
  // Two signals of one wish.
  daemon.signal('SIGTERM')
  await bench.until('its stop', () => daemon.log.some(({ msg }) => msg?.startsWith('stop was requested')))
  stopping.resolve()
  expect(await daemon.exited).toBe(0)
  const scored = bench.sandbox.scores().length
  expect(scored).toBeGreaterThan(0)
  expect(scored).toBeLessThan(8)
  await bench.startHere().ready()
  await bench.expectExactlyOneEach()
})

it('a second SIGTERM forces the end with 75, and the next start takes over the active work', async () => {
  const bench = await setUp()
  const daemon = bench.start({ ATTESTD_DRAIN_MS: '600000' })
  await bench.until('work under way', () => bench.requests('gateway') > 0)
  daemon.signal('SIGTERM')
  await bench.until('its stop', () => daemon.log.some(({ msg }) => msg?.startsWith('stop was requested')))
  await sleep(NEXT_REQUEST_MS)
  expect(daemon.running).toBe(true)
  daemon.signal('SIGTERM')
  expect(await daemon.exited).toBe(75)
  expect(daemon.log.at(-1)?.msg).toMatch(/^stop was forced by a second signal/)
  bench.sandbox.world.faults.setPlan({})
  await bench.startHere().ready()
  await bench.expectExactlyOneEach()
})

it('work that exceeds the drain limit is left with 75, and the next start takes it over', async () => {
  const bench = await setUp()
  const daemon = bench.start({ ATTESTD_DRAIN_MS: '300' })
  await bench.until('work under way', () => bench.requests('gateway') > 0)
  daemon.signal('SIGINT')
  expect(await daemon.exited).toBe(75)
  bench.sandbox.world.faults.setPlan({})
  await bench.startHere().ready()
  await bench.expectExactlyOneEach()
})

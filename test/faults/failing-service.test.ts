import { afterEach, expect, test } from 'vitest'
import type { FaultKind, FaultRoute, FaultRule } from '../../src/sandbox/faults.js'
import { type FaultRun, onEachEngine, startRun } from '../support/fault-run.js'
import { seedsOf } from '../support/fault-seed.js'

/** Faults end at this attempt of each request, so that the doubling pauses end within the time of a test. */
const LAST_BAD_ATTEMPT = 4

let run: FaultRun

afterEach(() => run.bench.dispose())

/** Each of three statuses at random on every route that the daemon signs for or reads time from. */
function randomStatuses(): Partial<FaultRule>[] {
  const statuses: FaultKind[] = ['status-429', 'status-500', 'status-503']
  const routes: FaultRoute[] = ['list', 'one', 'score', 'stream', 'time']
  return routes.flatMap((route) =>
    statuses.map((fault) => ({
      route,
      fault,
      probability: 0.12,
      untilAttempt: route === 'one' || route === 'score' ? LAST_BAD_ATTEMPT : 40,
      ...(fault === 'status-500' ? {} : { retryAfterSeconds: 1 }),
    })),
  )
}

onEachEngine('429, 500 and 503 at random', (engine, api) => {
  test.each(seedsOf('statuses', api))('on list, one, score, stream and time, seed %s', async (seed) => {
    run = await startRun(engine, { api, faults: { seed, rules: randomStatuses() as FaultRule[] } })
    const { bench } = run
    await bench.registerMany(8, seed)
    run.start()
    await bench.until('a first score', () => bench.sandbox.scores().length > 0)
    await bench.registerMany(8, seed)
    await bench.expectExactlyOneEach(150_000)
    const routes = new Set(bench.sandbox.control.injectedFaults().map(({ route }) => route))
    expect([...routes]).toEqual(expect.arrayContaining(['one', 'score']))
  })
})

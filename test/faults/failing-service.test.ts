import { expect, it } from 'vitest'
import type { FaultKind, FaultRoute, FaultRule } from '../../src/sandbox/faults/faults.js'
import type { Api } from '../support/daemon-bench.js'
import { onEachOnce, startRun } from '../support/fault-run.js'
import { seedsOf } from '../support/fault-seed.js'

/** Faults end at this attempt of each request, so that the doubling pauses end within the time of a test. */
const LAST_BAD_ATTEMPT = 4
/** The same for routes that are asked all the time; on a wallet session each submission asks for chain time. */
const LAST_BAD_REQUEST = 40
const LAST_BAD_CHAIN_TIME = 12

/** Each of three statuses at random on every route that the daemon signs for or reads time from. */
function randomStatuses(api: Api): Partial<FaultRule>[] {
  const statuses: FaultKind[] = ['status-429', 'status-500', 'status-503']
  const routes: FaultRoute[] = ['list', 'one', 'score', 'stream', 'time']
  return routes.flatMap((route) =>
    statuses.map((fault) => ({
      route,
      fault,
      probability: 0.12,
      untilAttempt: lastBadOf(route, api),
      ...(fault === 'status-500' ? {} : { retryAfterSeconds: 1 }),
    })),
  )
}

function lastBadOf(route: FaultRoute, api: Api): number {
  if (route === 'one' || route === 'score') return LAST_BAD_ATTEMPT
  return route === 'time' && api === 'wallet-session' ? LAST_BAD_CHAIN_TIME : LAST_BAD_REQUEST
}

onEachOnce('429, 500 and 503 at random', (engine, api) => {
  it.each(seedsOf('statuses', api))('on list, one, score, stream and time, seed %s', async (seed) => {
    const run = await startRun(engine, { api, faults: { seed, rules: randomStatuses(api) as FaultRule[] } })
    const { bench } = run
    await bench.registerMany(8, seed)
    run.start()
    await bench.until('a first score', () => bench.sandbox.scores().length > 0)
    await bench.registerMany(8, seed)
    await bench.expectExactlyOneEach()
    const routes = new Set(bench.sandbox.world.faults.injected().map(({ route }) => route))
    expect([...routes]).toEqual(expect.arrayContaining(['one', 'score']))
  })
})

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { FaultPlanInput } from '../../src/sandbox/faults/faults.js'
import { LOCK_MS } from '../support/daemon-bench.js'
import { type Moment, onEachOnce, onRedis, reach, startRun } from '../support/fault-run.js'
import { drawBetween, pick, seedsOf } from '../support/fault-seed.js'

const ASSETS = 8
/** Asleep for longer than it takes another worker to take over, ask and send. */
const ASLEEP_MS = { least: LOCK_MS + 3000, most: LOCK_MS + 4000 }
/** The hung worker still takes the answer that waits for it when it wakes; nothing but its lost lock may stop it then. */
const PATIENT = { ATTESTD_SERVICE_TIMEOUT_MS: String(ASLEEP_MS.most + 2000) }

/** Answers are on their way when the worker stops: what they say is stale when it wakes. */
const slowAnswers = (seed: string): FaultPlanInput => ({
  seed,
  rules: [
    { route: 'one', fault: 'slow', ms: 400 },
    { route: 'score', fault: 'no-reply-not-stored', probability: 0.2, untilAttempt: 1 },
    { route: 'score', fault: 'slow', ms: 400 },
  ],
})

/** While an ask or a send is under way. */
function midAnswer(seed: string, nth: number): Moment {
  const route = pick(['one', 'one', 'score'] as const, seed, 'route', nth)
  return { route, requests: drawBetween(2, 4, seed, 'requests', nth), laterMs: drawBetween(0, 300, seed, 'later', nth) }
}

onRedis('a worker that hangs (SIGSTOP) past its lock', (api) => {
  it.each(seedsOf('stoppedWorker', api))('and resumes after another took over, seed %s', async (seed) => {
    const run = await startRun('redis', { api, faults: slowAnswers(seed) })
    const { bench } = run
    const hung = await run.start('hung', PATIENT).ready()
    const reached = reach(bench, midAnswer(seed, 0))
    await bench.registerMany(ASSETS, seed)
    await reached
    hung.signal('SIGSTOP')
    await run.start('other').serving()
    await sleep(drawBetween(ASLEEP_MS.least, ASLEEP_MS.most, seed, 'asleep'))
    hung.signal('SIGCONT')
    await bench.register(seed)
    await bench.expectExactlyOneEach()
    expect(hung.running).toBe(true)
  })
})

onEachOnce('a daemon that hangs (SIGSTOP) past its own locks', (engine, api) => {
  it('continues alone, seed alone', async () => {
    const run = await startRun(engine, { api, faults: slowAnswers('alone') })
    const { bench } = run
    const daemon = await run.start().ready()
    for (let nth = 0; nth < 2; nth++) {
      const reached = reach(bench, midAnswer('alone', nth))
      await bench.registerMany(ASSETS / 2, 'alone')
      await reached
      daemon.signal('SIGSTOP')
      await sleep(2 * LOCK_MS)
      daemon.signal('SIGCONT')
    }
    await bench.expectExactlyOneEach()
  })
})

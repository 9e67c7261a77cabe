import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { LOCK_MS, WINDOW_MS } from '../support/daemon-bench.js'
import { type FaultRun, onEachEngine, onRedis, reach, startRun, workMoment } from '../support/fault-run.js'
import { drawBetween, seedsOf } from '../support/fault-seed.js'

const ASSETS = 8

let run: FaultRun

afterEach(() => run.bench.dispose())

/** Stops come while answers are on their way: what the worker learned before it stopped is stale when it goes on. */
const slowAnswers = (seed: string) => ({
  seed,
  rules: [
    { route: 'one', fault: 'slow', ms: 250, probability: 0.6 },
    { route: 'score', fault: 'slow', ms: 250, probability: 0.6 },
    { route: 'score', fault: 'no-reply-not-stored', probability: 0.3, untilAttempt: 1 },
  ] as const,
})

onRedis('a worker that hangs (SIGSTOP) past its lock', () => {
  test.each(seedsOf('stoppedWorker'))('and wakes after another took over, seed %s', async (seed) => {
    const { rules } = slowAnswers(seed)
    run = await startRun('redis', { faults: { seed, rules: [...rules] } })
    const { bench } = run
    const hung = await run.start('hung').ready()
    const reached = reach(bench, workMoment(seed, 0))
    await bench.registerMany(ASSETS, seed)
    await reached
    hung.signal('SIGSTOP')
    const other = run.start('other')
    await other.serving()
    // Once it wakes early, while jobs that it had are under way elsewhere; once when all is done.
    if (drawBetween(0, 1, seed, 'early') === 1) await sleep(LOCK_MS + drawBetween(0, WINDOW_MS, seed, 'asleep'))
    else await bench.allScored(90_000)
    hung.signal('SIGCONT')
    await bench.register(seed)
    await bench.expectExactlyOneEach(90_000)
    expect(hung.running).toBe(true)
  })
})

onEachEngine('a daemon that hangs (SIGSTOP) past its own locks', (engine) => {
  test('goes on by itself, seed alone', async () => {
    const { rules } = slowAnswers('alone')
    run = await startRun(engine, { faults: { seed: 'alone', rules: [...rules] } })
    const { bench } = run
    const daemon = await run.start().ready()
    for (let nth = 0; nth < 2; nth++) {
      const reached = reach(bench, workMoment('alone', nth))
      await bench.registerMany(ASSETS / 2, 'alone')
      await reached
      daemon.signal('SIGSTOP')
      await sleep(2 * LOCK_MS)
      daemon.signal('SIGCONT')
    }
    await bench.expectExactlyOneEach(90_000)
  })
})

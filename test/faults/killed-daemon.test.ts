import { afterEach, expect, test } from 'vitest'
import type { FaultPlanInput } from '../../src/sandbox/faults.js'
import { type FaultRun, lifeMoment, onEachEngine, reach, startRun } from '../support/fault-run.js'
import { drawBetween, seedsOf } from '../support/fault-seed.js'

const ASSETS_PER_LIFE = 5

let run: FaultRun

afterEach(() => run.bench.dispose())

/** Keeps requests in flight for long enough to be killed in the middle. */
const slowService = (seed: string): FaultPlanInput => ({
  seed,
  rules: [
    { route: 'gateway', fault: 'slow', ms: 200, probability: 0.5 },
    { route: 'one', fault: 'slow', ms: 150, probability: 0.3 },
    { route: 'score', fault: 'slow', ms: 250, probability: 0.5 },
  ],
})

onEachEngine('kill -9 of the daemon', (engine) => {
  test.each(seedsOf('killedDaemon'))('at any moment, seed %s', async (seed) => {
    run = await startRun(engine, { faults: slowService(seed) })
    const { bench } = run
    const kills = drawBetween(3, 4, seed, 'kills')
    for (let nth = 0; nth < kills; nth++) {
      await bench.registerMany(ASSETS_PER_LIFE, seed)
      const daemon = run.start()
      await reach(bench, lifeMoment(seed, nth))
      expect(daemon.running, daemon.output).toBe(true)
      await daemon.kill9()
    }
    await bench.registerMany(ASSETS_PER_LIFE, seed)
    run.start()
    await bench.expectExactlyOneEach(120_000)
  })
})

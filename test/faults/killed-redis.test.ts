import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { onRedis, reach, slowService, startRun, workMoment } from '../support/fault-run.js'
import { drawBetween, seedsOf } from '../support/fault-seed.js'

const KILLS = 3
const ASSETS_PER_KILL = 5

onRedis('kill -9 of Redis', (api) => {
  it.each(seedsOf('killedRedis', api))('while the daemon works and continues, seed %s', async (seed) => {
    const run = await startRun('redis', { api, faults: slowService(seed) })
    const { bench, redis } = run
    const daemon = await run.start().ready()
    for (let nth = 0; nth < KILLS; nth++) {
      const reached = reach(bench, workMoment(seed, nth))
      await bench.registerMany(ASSETS_PER_KILL, seed)
      await reached
      await redis!.kill9()
      await sleep(drawBetween(0, 2500, seed, 'away', nth))
      await redis!.restart()
    }
    await bench.registerMany(ASSETS_PER_KILL, seed)
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })

  it('which was not there yet when the daemon started, seed late', async () => {
    const run = await startRun('redis', { api })
    const { bench, redis } = run
    await redis!.kill9()
    const daemon = run.start()
    await bench.until('a daemon that waits', () => daemon.output.includes('redis did not answer'))
    await redis!.restart()
    await bench.registerMany(ASSETS_PER_KILL, 'late')
    await bench.allScored()
    await redis!.kill9()
    await redis!.restart()
    await bench.registerMany(ASSETS_PER_KILL, 'late')
    await bench.expectExactlyOneEach()
    expect(daemon.running, daemon.output).toBe(true)
  })
})

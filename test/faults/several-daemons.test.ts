import { expect, it } from 'vitest'
import type { DaemonProcess } from '../support/daemon-process.js'
import { lifeMoment, onRedis, reach, slowService, startRun } from '../support/fault-run.js'
import { drawBetween, seedsOf } from '../support/fault-seed.js'

const DAEMONS = 3
const KILLS = 3
const ASSETS_PER_KILL = 8

onRedis('several daemons on one queue', (api) => {
  it.each(seedsOf('severalDaemons', api))('with kills of one of them at a time, seed %s', async (seed) => {
    const run = await startRun('redis', { api, faults: slowService(seed) })
    const { bench } = run
    const daemons: DaemonProcess[] = []
    for (let nth = 0; nth < DAEMONS; nth++) daemons.push(run.start(`daemon-${nth}`))
    await Promise.all(daemons.map((daemon) => daemon.serving()))
    for (let nth = 0; nth < KILLS; nth++) {
      const reached = reach(bench, lifeMoment(seed, nth))
      await bench.registerMany(ASSETS_PER_KILL, seed)
      await reached
      const victim = drawBetween(0, DAEMONS - 1, seed, 'victim', nth)
      await daemons[victim]!.kill9()
      daemons[victim] = run.start(`daemon-${victim}`)
    }
    await bench.expectExactlyOneEach()
    expect(daemons.every(({ running }) => running)).toBe(true)
  })
})

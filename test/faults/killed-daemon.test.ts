import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { DaemonBench } from '../support/daemon-bench.js'
import { lifeMoment, onEachEngine, reach, slowService, startRun } from '../support/fault-run.js'
import { drawBetween, seedsOf } from '../support/fault-seed.js'

const ASSETS_PER_LIFE = 5

onEachEngine('kill -9 of the daemon', (engine, api) => {
  it.each(seedsOf('killedDaemon', api))('at any moment, seed %s', async (seed) => {
    const run = await startRun(engine, { api, faults: slowService(seed) })
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
    await bench.expectExactlyOneEach()
  })
})

/** The folder of this user for detector processes, which stays. */
const PRIVATE_FOLDER = /^attestd-detectors-\d+$/

it('kill -9 during an analysis leaves no file in the temporary folder, seed scratch', async () => {
  const bench = await benchOfTest()
  const scratch = path.join(bench.folder, 'scratch')
  await fs.mkdir(scratch)
  const killed = bench.start({ TMPDIR: scratch })
  await killed.ready()
  await bench.registerMany(2, 'scratch')
  await bench.allScored()
  await killed.kill9()
  const next = bench.start({ TMPDIR: scratch })
  await next.ready()
  await bench.expectExactlyOneEach()
  const isOfKilled = (name: string) => name.includes(`_${killed.pid}_`)
  const left = async () => (await fs.readdir(scratch, { recursive: true })).filter((name) => !PRIVATE_FOLDER.test(name))
  expect((await left()).filter(isOfKilled)).toEqual([])
  expect(await next.drain()).toBe(0)
  expect(await left()).toEqual([])
})

it('kill -9 while the embedded queue is created, seed first', async () => {
  // Not prepared, unlike the runs above.
  const bench = await DaemonBench.create()
  onTestFinished(() => bench.dispose())
  await bench.registerMany(2, 'first')
  for (let nth = 0; nth < 3; nth++) {
    const daemon = bench.start()
    await sleep(drawBetween(500, 5000, 'first', 'after', nth))
    await daemon.kill9()
  }
  await bench.start().ready()
  await bench.expectExactlyOneEach()
})

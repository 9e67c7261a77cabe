import { expect, it } from 'vitest'
import type { FaultRoute, FaultRule } from '../../src/sandbox/faults/faults.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { type FaultRun, ONLY, onEachOnce, startRun } from '../support/fault-run.js'

const ASSETS = 3
/** Tries of each job during an outage: more than the 6 and 30 after which earlier releases gave up by default. */
const ANALYSES = 8
const SUBMISSIONS = 32
const SERVICE: readonly FaultRoute[] = ['list', 'one', 'score', 'stream', 'time', 'challenge', 'session']

const away = (...routes: readonly FaultRoute[]): { rules: FaultRule[] } => ({
  rules: routes.map((route) => ({ route, fault: 'status-503', probability: 1 })),
})

const start = (run: FaultRun) => run.start(ONLY, { ATTESTD_RETRY_MAX_MS: '100' })

/** Resolves when the jobs of a queue have failed that often on average, since the daemon started. */
async function triedInVain({ bench }: FaultRun, daemon: DaemonProcess, queue: string, tries: number): Promise<void> {
  await daemon.serving()
  const failed = () => daemon.metric('attestd_retries_total', `queue="${queue}"`)
  await bench.until(`attempt ${tries} of ${queue}`, async () => (await failed()) >= ASSETS * tries)
}

onEachOnce('an outage longer than the tries of earlier releases', (engine, api) => {
  it('of the gateways, with restarts inside: all assets are scored once afterwards', async () => {
    const run = await startRun(engine, { api, faults: away('gateway') })
    const { bench } = run
    await bench.registerMany(ASSETS, 'gateways')
    const first = start(run)
    await triedInVain(run, first, 'analyze-image', ANALYSES / 2)
    await first.kill9()
    const second = start(run)
    await triedInVain(run, second, 'analyze-image', ANALYSES)
    await second.drain()
    const third = await start(run).ready()
    bench.sandbox.world.faults.setPlan({})
    await bench.expectExactlyOneEach()
    expect(await third.failedJobs()).toEqual([])
  })

  it('of the service, with restarts inside: all assets are scored once afterwards', async () => {
    const run = await startRun(engine, { api })
    const { bench } = run
    const first = await start(run).ready()
    bench.sandbox.world.faults.setPlan(away('one', 'score'))
    await bench.registerMany(ASSETS, 'service')
    await triedInVain(run, first, 'submit', SUBMISSIONS)
    bench.sandbox.world.faults.setPlan(away(...SERVICE))
    await first.kill9()
    const second = start(run)
    await bench.until('its trouble in the log', () => second.output.includes('listing open assets failed'))
    await second.drain()
    start(run)
    bench.sandbox.world.faults.setPlan({})
    await bench.expectExactlyOneEach()
  })
})

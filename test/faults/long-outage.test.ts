import { afterEach, expect, it } from 'vitest'
import type { FaultRoute, FaultRule } from '../../src/sandbox/faults/faults.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { type FaultRun, ONLY, onEachOnce, startRun } from '../support/fault-run.js'

const ASSETS = 3
/** Tries of each job during an outage: more than the 6 and 30 after which earlier releases gave up by default. */
const ANALYSES = 8
const SUBMISSIONS = 32
const SERVICE: readonly FaultRoute[] = ['list', 'one', 'score', 'stream', 'time', 'challenge', 'session']

let run: FaultRun

afterEach(() => run.bench.dispose())

const away = (...routes: readonly FaultRoute[]): { rules: FaultRule[] } => ({
  rules: routes.map((route) => ({ route, fault: 'status-503', probability: 1 })),
})

const start = () => run.start(ONLY, { ATTESTD_RETRY_MAX_MS: '100' })

/** Resolves when the jobs of a queue have failed that often on average, since the daemon started. */
async function triedInVain(daemon: DaemonProcess, queue: string, tries: number): Promise<void> {
  await daemon.serving()
  const failed = () => daemon.metric('attestd_retries_total', `queue="${queue}"`)
  await run.bench.until(`attempt ${tries} of ${queue}`, async () => (await failed()) >= ASSETS * tries)
}

onEachOnce('an outage longer than the tries of earlier releases', (engine, api) => {
  it('of the gateways, with restarts inside: all is scored once afterwards', async () => {
    run = await startRun(engine, { api, faults: away('gateway') })
    const { bench } = run
    await bench.registerMany(ASSETS, 'gateways')
    const first = start()
    await triedInVain(first, 'analyze-image', ANALYSES / 2)
    await first.kill9()
    const second = start()
    await triedInVain(second, 'analyze-image', ANALYSES)
    second.signal('SIGTERM')
    await second.exited
    const third = await start().ready()
    bench.sandbox.control.setFaults({})
    await bench.expectExactlyOneEach()
    expect(await third.failedJobs()).toEqual([])
  })

  it('of the service, with restarts inside: all is scored once afterwards', async () => {
    run = await startRun(engine, { api })
    const { bench } = run
    const first = await start().ready()
    bench.sandbox.control.setFaults(away('one', 'score'))
    await bench.registerMany(ASSETS, 'service')
    await triedInVain(first, 'submit', SUBMISSIONS)
    bench.sandbox.control.setFaults(away(...SERVICE))
    await first.kill9()
    const second = start()
    await bench.until('its trouble in the log', () => second.output.includes('listing open assets failed'))
    second.signal('SIGTERM')
    await second.exited
    start()
    bench.sandbox.control.setFaults({})
    await bench.expectExactlyOneEach()
  })
})

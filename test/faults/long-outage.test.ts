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

/** Resolves when each asset's job of a queue has failed that often. */
async function triedInVain(daemon: DaemonProcess, queue: string, tries: number): Promise<void> {
  const triedAll = () => {
    const lines = daemon.log.filter((line) => line.msg === 'attempt failed' && String(line.queue).startsWith(queue))
    return new Set(lines.filter(({ attempt }) => Number(attempt) >= tries).map(({ asset }) => asset)).size === ASSETS
  }
  await run.bench.until(`attempt ${tries} of ${queue}`, triedAll)
}

onEachOnce('an outage longer than the tries of earlier releases', (engine, api) => {
  it('of the gateways, with restarts inside: all is scored once afterwards', async () => {
    run = await startRun(engine, { api, faults: away('gateway') })
    const { bench } = run
    await bench.registerMany(ASSETS, 'gateways')
    const first = start()
    await triedInVain(first, 'analyze', ANALYSES / 2)
    await first.kill9()
    const second = start()
    await triedInVain(second, 'analyze', ANALYSES)
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

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { FaultKind, FaultRoute, FaultRule } from '../../src/sandbox/faults/faults.js'
import type { Api } from '../support/daemon-bench.js'
import type { DaemonProcess } from '../support/daemon-process.js'
import { type EngineName, type FaultRun, lifeMoment, onEachEngine, reach, startRun } from '../support/fault-run.js'
import { draw, drawBetween, pick, seedsOf } from '../support/fault-seed.js'

const ACTS = 5
/** EX_TEMPFAIL: a supervisor starts the daemon again. */
const RESTART_EXIT = 75
const ASSETS_PER_ACT = 4
/** Faults of the service end at this attempt of each request, so that the doubling pauses end within a test's time. */
const LAST_BAD_ATTEMPT = 3

const SERVICE_FAULTS: readonly (readonly [FaultRoute, FaultKind, number?])[] = [
  ['list', 'status-500'],
  ['list', 'status-429'],
  ['list', 'garbage'],
  ['one', 'status-503'],
  ['one', 'lost-reply'],
  ['one', 'slow', 300],
  ['one', 'wrong-shape'],
  ['score', 'status-500'],
  ['score', 'status-429'],
  ['score', 'lost-reply'],
  ['score', 'no-reply'],
  ['score', 'no-reply-not-stored'],
  ['score', 'late-store', 1500],
  ['score', 'slow', 400],
  ['score', 'reset'],
  ['score', 'truncated'],
  ['stream', 'cut', 700],
  ['stream', 'garbage'],
  ['stream', 'retry-0'],
  ['stream', 'status-503'],
  ['time', 'status-503'],
  ['gateway', 'slow', 200],
  ['gateway', 'truncated'],
  ['gateway', 'status-500'],
]

const SESSION_FAULTS: typeof SERVICE_FAULTS = [
  ['challenge', 'status-500'],
  ['challenge', 'garbage'],
  ['session', 'status-503'],
  ['session', 'lost-reply'],
  ['session', 'slow', 300],
  ['list', 'status-401'],
  ['one', 'status-401'],
  ['score', 'status-401'],
]
/** Sessions end a few times in a run, milliseconds. */
const SESSION_MS = 15_000

const faultsOf = (api: Api) => (api === 'signed-key' ? SERVICE_FAULTS : [...SERVICE_FAULTS, ...SESSION_FAULTS])

/** A mixture of its own for each seed: about half of the faults, each with a chance of its own. */
function mixture(seed: string, api: Api): FaultRule[] {
  return faultsOf(api)
    .filter((_, nth) => draw(seed, 'used', nth) < 0.5)
    .map(([route, fault, ms], nth) => ({
      route,
      fault,
      probability: 0.05 + 0.2 * draw(seed, 'chance', nth),
      untilAttempt: LAST_BAD_ATTEMPT,
      ...(ms === undefined ? {} : { ms }),
    }))
}

type Act = (run: FaultRun, daemons: DaemonProcess[], seed: string, nth: number) => Promise<void>

const killDaemon: Act = async ({ start }, daemons, seed, nth) => {
  const victim = drawBetween(0, daemons.length - 1, seed, 'victim', nth)
  await daemons[victim]!.kill9()
  daemons[victim] = start(`daemon-${victim}`)
}
const hangDaemon: Act = async (_run, daemons, seed, nth) => {
  const victim = pick(daemons, seed, 'victim', nth)
  victim.signal('SIGSTOP')
  await sleep(drawBetween(500, 5000, seed, 'asleep', nth))
  victim.signal('SIGCONT')
}
const killRedis: Act = async ({ redis }, _daemons, seed, nth) => {
  await redis?.kill9()
  await sleep(drawBetween(0, 1500, seed, 'away', nth))
  await redis?.restart()
}
const stopDaemon: Act = async ({ start }, daemons, seed, nth) => {
  const victim = drawBetween(0, daemons.length - 1, seed, 'victim', nth)
  await daemons[victim]!.drain()
  daemons[victim] = start(`daemon-${victim}`)
}
const cutStreams: Act = async ({ bench }) => {
  bench.sandbox.control.cutStreams()
}
const dipStake: Act = async ({ bench }, _daemons, seed, nth) => {
  bench.sandbox.control.setStake({ stakedWei: 1n })
  await sleep(drawBetween(100, 1000, seed, 'poor', nth))
  bench.sandbox.control.setStake({ stakedWei: 10n ** 19n })
}
const killChain: Act = async ({ bench }, _daemons, seed, nth) => {
  bench.sandbox.registry.stop()
  await sleep(drawBetween(500, 4000, seed, 'no chain', nth))
  bench.sandbox.registry.start()
}

const ACTS_OF: Readonly<Record<EngineName, readonly Act[]>> = {
  embedded: [killDaemon, killDaemon, hangDaemon, stopDaemon, cutStreams, dipStake],
  redis: [killDaemon, killRedis, killRedis, hangDaemon, stopDaemon, cutStreams, dipStake],
}

const actsOf = (engine: EngineName, api: Api) =>
  api === 'signed-key' ? ACTS_OF[engine] : [...ACTS_OF[engine], killChain, killChain]

onEachEngine('everything at once', (engine, api) => {
  it.each(seedsOf('everything', api))('in the mixture of seed %s', async (seed) => {
    const run = await startRun(engine, { api, sessionMs: SESSION_MS, faults: { seed, rules: mixture(seed, api) } })
    const { bench } = run
    const count = engine === 'redis' ? 2 : 1
    const daemons = Array.from({ length: count }, (_, nth) => run.start(`daemon-${nth}`))
    for (let nth = 0; nth < ACTS; nth++) {
      const reached = reach(bench, lifeMoment(seed, nth))
      await bench.registerMany(ASSETS_PER_ACT, seed)
      await reached
      await pick(actsOf(engine, api), seed, 'act', nth)(run, daemons, seed, nth)
    }
    bench.sandbox.world.faults.setPlan({})
    // As a supervisor does: a daemon that was still starting when Redis was killed ends.
    for (const [nth, daemon] of daemons.entries()) {
      if (daemon.running) continue
      expect(await daemon.exited, daemon.output).toBe(RESTART_EXIT)
      run.start(`daemon-${nth}`)
    }
    await bench.expectExactlyOneEach()
  })
})

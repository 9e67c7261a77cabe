import { setTimeout as sleep } from 'node:timers/promises'
import { describe, onTestFinished } from 'vitest'
import type { FaultPlanInput, FaultRoute } from '../../src/sandbox/faults/faults.js'
import { type Api, type BenchOptions, DaemonBench } from './daemon-bench.js'
import type { DaemonHere } from './daemon-here.js'
import type { DaemonProcess } from './daemon-process.js'
import { drawBetween, pick } from './fault-seed.js'
import { findRedisServer, type RedisServer } from './redis-server.js'

export type EngineName = 'embedded' | 'redis'

/** Name of the first, and on the embedded engine only, daemon of a run. */
export const ONLY = 'daemon-0'
/** How often a moment is looked for, ms. */
const LOOK_EVERY_MS = 3
/** A moment that does not come within this time is now, ms: the work may have ended before. */
const MOMENT_LIMIT_MS = 8000

/** One bench with a queue engine, and the settings that name it. */
export interface FaultRun {
  readonly bench: DaemonBench
  /** Null on the embedded engine. */
  readonly redis: RedisServer | null
  start(name?: string, changes?: Readonly<Record<string, string>>): DaemonProcess
  /** The same in this process, where no kill or stop of a process is the fault. */
  startHere(name?: string, changes?: Readonly<Record<string, string>>): DaemonHere
}

/** The same tests for each API on each engine; those without their Redis show as skipped. */
export function onEachEngine(title: string, body: (engine: EngineName, api: Api) => void): void {
  onEachApi(`${title}, on the embedded queue`, (api) => body('embedded', api))
  onRedis(title, (api) => body('redis', api))
}

/** Each API and each engine once: all four pairs meet where daemons are killed and in `everything`. */
export function onEachOnce(title: string, body: (engine: EngineName, api: Api) => void): void {
  const hasRedis = findRedisServer() !== null
  describe.skipIf(!hasRedis)(`signed-key: ${title}, on Redis`, () => body('redis', 'signed-key'))
  onWalletSession(`${title}, on the embedded queue`, () => body('embedded', 'wallet-session'))
}

export function onRedis(title: string, body: (api: Api) => void): void {
  onEachApi(`${title}, on Redis`, body, findRedisServer() !== null)
}

export function onEachApi(title: string, body: (api: Api) => void, canRun = true): void {
  describe.skipIf(!canRun)(`signed-key: ${title}`, () => body('signed-key'))
  onWalletSession(title, () => body('wallet-session'), canRun)
}

/** Tests of a wallet session. */
export function onWalletSession(title: string, body: () => void, canRun = true): void {
  describe.skipIf(!canRun)(`wallet-session: ${title}`, body)
}

/** A run of the test that calls this, gone after it. */
export async function startRun(engine: EngineName, options: BenchOptions = {}): Promise<FaultRun> {
  const bench = await DaemonBench.create(options)
  onTestFinished(() => bench.dispose())
  const redis = engine === 'redis' ? await bench.redis() : null
  if (!redis) await bench.prepare(ONLY)
  const env: Record<string, string> = redis ? { ATTESTD_QUEUE_URL: redis.url } : {}
  return {
    bench,
    redis,
    start: (name = ONLY, changes = {}) => bench.start({ ...env, ...changes }, name),
    startHere: (name = ONLY, changes = {}) => bench.startHere({ ...env, ...changes }, name),
  }
}

/** When something is done to a run: some requests of a route from now, or some time from now. */
export type Moment =
  | { readonly route: FaultRoute; readonly requests: number; readonly laterMs: number }
  | { readonly afterMs: number }

/** A moment while a daemon works: at a request of one of the routes that work goes through. */
export function workMoment(seed: string, nth: number): Moment {
  const route = pick<FaultRoute>(['gateway', 'one', 'score'], seed, 'route', nth)
  const requests = drawBetween(1, 6, seed, 'requests', nth)
  return { route, requests, laterMs: drawBetween(0, 120, seed, 'later', nth) }
}

/** A moment of a daemon's life, its start included. */
export function lifeMoment(seed: string, nth: number): Moment {
  const atStart = pick([true, false, false, false], seed, 'at start', nth)
  return atStart ? { afterMs: drawBetween(0, 2500, seed, 'after', nth) } : workMoment(seed, nth)
}

/** Resolves at the moment, counted from this call. */
export async function reach(bench: DaemonBench, moment: Moment): Promise<void> {
  if ('afterMs' in moment) return sleep(moment.afterMs)
  const deadline = performance.now() + MOMENT_LIMIT_MS
  const wanted = bench.requests(moment.route) + moment.requests
  while (bench.requests(moment.route) < wanted && performance.now() < deadline) await sleep(LOOK_EVERY_MS)
  await sleep(moment.laterMs)
}

/** Keeps requests in flight for long enough to be killed in the middle. */
export const slowService = (seed: string): FaultPlanInput => ({
  seed,
  rules: [
    { route: 'gateway', fault: 'slow', ms: 200, probability: 0.5 },
    { route: 'one', fault: 'slow', ms: 150, probability: 0.3 },
    { route: 'score', fault: 'slow', ms: 250, probability: 0.5 },
  ],
})

import assert from 'node:assert/strict'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { systemClock } from '../../src/core/clock.js'
import { placeEmptyDatabase } from '../../src/queue/embedded/empty-database.js'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import type { RegisterFileOptions, Sandbox } from '../../src/sandbox/create-sandbox.js'
import type { FaultRoute } from '../../src/sandbox/faults/faults.js'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.js'
import { DaemonHere } from './daemon-here.js'
import { DaemonProcess } from './daemon-process.js'
import type { DaemonFiles, DaemonUnderTest } from './daemon-under-test.js'
import { writeTinyPackage } from './detector-package.js'
import { draw } from './fault-seed.js'
import { type RedisServer, type RedisServerOptions, startRedisServer } from './redis-server.js'
import { startSandbox } from './sandbox.js'

/** The API that the daemons of a bench speak. */
export type Api = 'signed-key' | 'wallet-session'

export interface BenchOptions extends Partial<SandboxOptions> {
  /** @default 'signed-key' */
  readonly api?: Api
}

/** Times of the daemons under test, ms: as short as the settings take, so that every wait ends within seconds. */
const WINDOW_MS: Readonly<Record<Api, number>> = {
  'signed-key': 2000,
  // Chain time is a whole second of a block up to two seconds old.
  'wallet-session': 8000,
}
export const SERVICE_TIMEOUT_MS = 1000
/** For a test that counts sends or accepted scores: an answer that a loaded machine delays is no lost one, which is asked for again. */
export const PATIENT = { ATTESTD_SERVICE_TIMEOUT_MS: '30000' }
export const LOCK_MS = 2000
const LIST_EVERY_MS = 500
const STAKE_EVERY_MS = 500
/** Longest wait of a test, ms: seconds where the machine is idle, but test machines are shared. */
const WAIT_LIMIT_MS = 240_000
const QUIET_LOOKS = 3
/** Looks at a daemon cost it and this process time: the first follow closely, later ones wait longer. */
const LOOK_MS = { first: 25, growth: 1.4, most: 200 }
/** Longest pause between two attempts of a job, ms: those of the defaults begin at 1 to 30 s. */
const RETRY_MAX_MS = 1000

/** Sandbox, detector package, queue engines and daemons of one test, all gone after `dispose`. */
export class DaemonBench {
  readonly daemons: DaemonUnderTest[] = []
  readonly #redis: RedisServer[] = []
  #registered = 0

  private constructor(
    readonly folder: string,
    readonly sandbox: Sandbox,
    readonly api: Api,
  ) {}

  /** The sandbox is strict: a second accepted POST is stored as a second score. */
  static async create({ api = 'signed-key', ...options }: BenchOptions = {}): Promise<DaemonBench> {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-bench-'))
    await writeTinyPackage(path.join(folder, 'models'))
    const strict = { duplicateScores: 'store', timestampWindowMs: WINDOW_MS[api], rateLimit: null } as const
    const sandbox = await startSandbox({ ...strict, ...options })
    await fs.writeFile(path.join(folder, 'wallet-key'), sandbox.wallets.attester.privateKey, { mode: 0o600 })
    return new DaemonBench(folder, sandbox, api)
  }

  /** How far what is signed may be from service time, ms. */
  get windowMs(): number {
    return WINDOW_MS[this.api]
  }

  /** The settings of a daemon against this sandbox. */
  env(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
    const { url } = this.sandbox
    return {
      ATTESTD_SERVICE_URL: url,
      ATTESTD_IPFS_GATEWAYS: url,
      ...(this.api === 'signed-key' ? this.#keyEnv() : this.#walletEnv()),
      ATTESTD_TIMESTAMP_WINDOW_MS: String(this.windowMs),
      ATTESTD_SERVICE_TIMEOUT_MS: String(SERVICE_TIMEOUT_MS),
      ATTESTD_STORE_TIME_MS: String(SERVICE_TIMEOUT_MS),
      ATTESTD_LIST_EVERY_MS: String(LIST_EVERY_MS),
      ATTESTD_QUEUE_LOCK_MS: String(LOCK_MS),
      ATTESTD_RETRY_MAX_MS: String(RETRY_MAX_MS),
      ATTESTD_MODELS_DIR: path.join(this.folder, 'models'),
      ATTESTD_DETECTOR_WORKERS: '1',
      ATTESTD_UNSURE_POLICY: 'submit',
      ATTESTD_HTTP_PORT: '0',
      ATTESTD_LOG_FORMAT: 'json',
      ...changes,
    }
  }

  /** Makes the data directory of a daemon with an empty embedded queue, so that its start need not make one. */
  async prepare(name = 'main'): Promise<void> {
    await placeEmptyDatabase(path.join(this.folder, name, 'queue', 'pg'), false, systemClock)
  }

  /** Starts a daemon as a process. @param name one data directory per name, so that the same name restarts where it stopped @param within see `DaemonProcess` */
  start(changes: Readonly<Record<string, string>> = {}, name = 'main', within: readonly string[] = []): DaemonProcess {
    return this.#add(new DaemonProcess(this.env(changes), this.#files(name), [], within))
  }

  /** The same in this process, which is lighter; what a signal or a crash does to a process is not shown by it. */
  startHere(changes: Readonly<Record<string, string>> = {}, name = 'main'): DaemonHere {
    return this.#add(new DaemonHere(this.env(changes), this.#files(name)))
  }

  async redis(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = await startRedisServer(options)
    this.#redis.push(server)
    return server
  }

  /** Registers one image of its own; the same content for the same seed and place in the run, so asset ids repeat. */
  async register(seed: string, options: RegisterFileOptions = {}): Promise<SandboxAsset> {
    const nth = this.#registered++
    const content = options.content ?? (await image(seed, nth))
    return this.sandbox.registerFile(`${seed}-${nth}.png`, { title: `file ${nth}`, ...options, content })
  }

  async registerMany(count: number, seed: string, options: RegisterFileOptions = {}): Promise<SandboxAsset[]> {
    const assets: SandboxAsset[] = []
    for (let nth = 0; nth < count; nth++) assets.push(await this.register(seed, options))
    return assets
  }

  /** Scores on record by asset id, for every asset that was registered. */
  scoreCounts(): Record<string, number> {
    const ids = this.sandbox.world.assets.all().map(({ id }) => id)
    const scores = this.sandbox.scores()
    return Object.fromEntries(ids.map((id) => [id, scores.filter(({ assetId }) => assetId === id).length]))
  }

  /** Requests of a route so far. */
  requests(route: FaultRoute): number {
    const counts = this.sandbox.world.faults.counts().filter((one) => one.route === route)
    return counts.reduce((sum, { count }) => sum + count, 0)
  }

  /** Looks until the answer is true. */
  async until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + WAIT_LIMIT_MS
    for (let pauseMs = LOOK_MS.first; !(await look()); pauseMs = Math.min(LOOK_MS.most, pauseMs * LOOK_MS.growth)) {
      if (performance.now() > deadline) throw new Error(`gave up waiting: ${what}\n${this.picture()}`)
      await sleep(pauseMs)
    }
  }

  /** Resolves when every asset has a score. */
  async allScored(): Promise<void> {
    const done = () => Object.values(this.scoreCounts()).every((count) => count > 0)
    await this.until('a score for every asset', done)
  }

  /** Resolves when no daemon that runs has anything left to do: no send can follow. */
  async quiet(): Promise<void> {
    let looks = 0
    const look = async () => {
      looks = (await this.#isIdle()) ? looks + 1 : 0
      return looks >= QUIET_LOOKS
    }
    await this.until('idle queues', look)
  }

  /** The claim of every test here: each asset has exactly one score, no job was given up, and none is taken for another's. */
  async expectExactlyOneEach(): Promise<void> {
    await this.allScored()
    await this.quiet()
    const wrong = Object.entries(this.scoreCounts()).filter(([, count]) => count !== 1)
    assert.deepEqual(wrong, [], this.picture())
    for (const daemon of this.daemons.filter(({ running }) => running)) {
      assert.deepEqual(await daemon.failedJobs(), [], 'failed jobs')
      assert.equal(await daemon.foreignScores(), 0, 'false alarms')
    }
  }

  /** What a person needs to see of a run that went wrong. */
  picture(): string {
    const attempts = this.sandbox.world.scores.attempts().map((one) => JSON.stringify(one))
    const missing = Object.entries(this.scoreCounts()).filter(([, count]) => count !== 1)
    const logs = [...new Set(this.daemons.map(({ output }) => output))].map((text) => text.slice(-6000))
    return [`not one score: ${JSON.stringify(missing)}`, ...attempts, ...logs].join('\n')
  }

  async dispose(): Promise<void> {
    for (const daemon of this.daemons) await daemon.end()
    await this.sandbox.close()
    for (const server of this.#redis) await server.stop()
    await fs.rm(this.folder, { recursive: true, force: true, maxRetries: 3 })
  }

  #files(name: string): DaemonFiles {
    return { dataDir: path.join(this.folder, name), logFile: path.join(this.folder, `${name}.log`) }
  }

  #add<T extends DaemonUnderTest>(daemon: T): T {
    this.daemons.push(daemon)
    return daemon
  }

  #keyEnv(): Record<string, string> {
    const { accessKey, signingSecret } = this.sandbox.attesterKey
    return { ATTESTD_ACCESS_KEY: accessKey, ATTESTD_SIGNING_SECRET: signingSecret }
  }

  #walletEnv(): Record<string, string> {
    const { chainId, contract, rpcUrl } = this.sandbox.chain
    return {
      ATTESTD_SERVICE_API: 'wallet-session',
      ATTESTD_WALLET_KEY_FILE: path.join(this.folder, 'wallet-key'),
      ATTESTD_CHAIN_ID: String(chainId),
      ATTESTD_STAKE_CONTRACT: contract,
      ATTESTD_RPC_URLS: rpcUrl,
      ATTESTD_STAKE_EVERY_MS: String(STAKE_EVERY_MS),
    }
  }

  async #isIdle(): Promise<boolean> {
    for (const daemon of this.daemons.filter(({ running }) => running)) {
      const queues = await daemon.queues().catch(() => null)
      if (queues === null || queues.length === 0) return false
      if (queues.some(({ waiting, active, delayed }) => waiting + active + delayed > 0)) return false
    }
    return true
  }
}

/** A small image of one color and a few pixels of its own. */
export function image(seed: string, nth: number, side = 48): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * 3, drawByte(seed, nth, 'base'))
  for (let index = 0; index < 48; index++) pixels[index] = drawByte(seed, nth, index)
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer()
}

const drawByte = (seed: string, nth: number, what: string | number) => Math.floor(draw(seed, nth, what) * 256)

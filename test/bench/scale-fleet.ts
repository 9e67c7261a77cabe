import fs from 'node:fs/promises'
import path from 'node:path'
import type { DaemonProcess } from '../../src/app/demo/daemon-process.js'
import { systemClock } from '../../src/core/clock.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { image } from '../support/daemon-bench.js'
import { tinyManifest } from '../support/detector-package.js'
import { ModelServer } from '../support/model-server.js'
import { writeRemotePackage } from '../support/other-packages.js'
import { startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import { startBenchDaemon } from './bench-daemon.js'

const PACKAGE = 'remote-image'
const PREPROCESSING = tinyManifest(PACKAGE, {}).preprocessing as Record<string, unknown>
const LOOK_MS = 100

/** Workers that analyze, and one daemon that takes in and submits, on one Redis; all end with it. */
class Fleet {
  readonly #daemons: DaemonProcess[] = []
  workers = 0

  constructor(
    readonly sandbox: Sandbox,
    readonly folder: string,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  async startHead(): Promise<void> {
    await this.#start('head', { ATTESTD_ROLES: 'intake,submit', ATTESTD_SUBMIT_CONCURRENCY: '16' })
  }

  /** Two at a time: a start is computation. */
  async growTo(workers: number): Promise<void> {
    while (this.workers < workers) {
      const more = Math.min(2, workers - this.workers)
      await Promise.all(
        Array.from({ length: more }, () =>
          this.#start(`worker-${this.workers++}`, { ATTESTD_ROLES: 'analyze', ATTESTD_ANALYZE_CONCURRENCY: '1' }),
        ),
      )
    }
  }

  /** Assets that were measured rather than known, by the workers' logs. */
  async measured(): Promise<number> {
    const names = Array.from({ length: this.workers }, (_, index) =>
      path.join(this.folder, `worker-${index}`, 'daemon.log'),
    )
    const logs = await Promise.all(names.map((name) => fs.readFile(name, 'utf8')))
    return logs.join('').split('"cached":false').length - 1
  }

  async end(): Promise<void> {
    for (const daemon of this.#daemons) daemon.kill('SIGKILL')
    await Promise.all(this.#daemons.map(({ exited }) => exited))
  }

  async #start(name: string, env: Readonly<Record<string, string>>): Promise<void> {
    const folder = path.join(this.folder, name)
    await fs.mkdir(folder)
    this.#daemons.push(await startBenchDaemon(this.sandbox, folder, { ...this.env, ...env }))
  }
}

async function withFleet<T>(
  folder: string,
  latencyMs: number,
  work: (parts: { fleet: Fleet; sandbox: Sandbox }) => Promise<T>,
): Promise<T> {
  await fs.mkdir(folder, { recursive: true })
  const [redis, sandbox, server] = await Promise.all([
    startRedisServer(),
    startSandbox({ rateLimit: null, embeddedWallet: null }),
    ModelServer.start({ latencyMs }),
  ])
  const modelsDir = path.join(folder, 'models')
  // One inference a picture, so that a job takes what the server takes.
  const preprocessing = { ...PREPROCESSING, crops: { size: 32, positions: 'center' } }
  await writeRemotePackage(modelsDir, PACKAGE, server.url, { timeoutMs: 4 * latencyMs + 10_000 }, { preprocessing })
  const fleet = new Fleet(sandbox, folder, {
    ATTESTD_QUEUE_URL: redis.url,
    ATTESTD_MODELS_DIR: modelsDir,
    ATTESTD_DETECTORS: PACKAGE,
    ATTESTD_DETECTOR_WORKERS: '1',
  })
  try {
    return await work({ fleet, sandbox })
  } finally {
    await fleet.end()
    await Promise.all([redis.stop(), sandbox.close(), server.close()])
  }
}

/**
 * Registers assets and waits for their scores.
 * @returns scores a second from the first tenth of them to the last, while all workers are at it
 */
async function score(sandbox: Sandbox, contents: readonly Buffer[]): Promise<number> {
  const before = sandbox.scores().length
  const scored = async (count: number) => {
    while (sandbox.scores().length < before + count) await systemClock.sleep(LOOK_MS)
    return { count: sandbox.scores().length, at: performance.now() }
  }
  await Promise.all(contents.map((content, index) => sandbox.registerFile(`${index}.png`, { content })))
  const [from, to] = [await scored(contents.length / 10), await scored(0.9 * contents.length)]
  await scored(contents.length)
  return (1000 * (to.count - from.count)) / (to.at - from.at)
}

function images(seed: string, count: number): Promise<Buffer[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => image(seed, index)))
}

/** What a fleet of one size did; `ofLinear` is beside the first size times the factor. */
export interface FleetRow {
  readonly workers: number
  readonly jobsPerSecond: number
  readonly ofLinear: number
}

/** Scored assets a second at each size of one fleet that grows, after each worker's first file. */
export function measureFleet(
  folder: string,
  { sizes, jobs, latencyMs }: { sizes: readonly number[]; jobs: number; latencyMs: number },
  onRow: (row: FleetRow) => void,
): Promise<void> {
  return withFleet(folder, latencyMs, async ({ fleet, sandbox }) => {
    await fleet.startHead()
    let one: number | undefined
    for (const workers of sizes) {
      await fleet.growTo(workers)
      // The first file of a process loads code that only files need, which two cores do for all processes in turn.
      await score(sandbox, await images(`first ${workers}`, workers))
      const jobsPerSecond = await score(sandbox, await images(`scale ${workers}`, workers * jobs))
      one ??= jobsPerSecond / workers
      onRow({ workers, jobsPerSecond, ofLinear: jobsPerSecond / (one * workers) })
    }
  })
}

/** Assets of few contents, all open at once, on eight workers: how many were measured. */
export function measureSameContent(folder: string): Promise<{ assets: number; contents: number; measured: number }> {
  return withFleet(folder, 1000, async ({ fleet, sandbox }) => {
    await fleet.startHead()
    await fleet.growTo(8)
    const distinct = await images('same', 6)
    const contents = Array.from({ length: 48 }, (_, index) => distinct[index % distinct.length]!)
    await score(sandbox, contents)
    return { assets: contents.length, contents: distinct.length, measured: await fleet.measured() }
  })
}

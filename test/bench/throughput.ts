// `npm run bench`: pictures a second on each queue engine, and where the time of one goes.
// The same files go through a bare loop of sharp and onnxruntime with the same networks (bare-loop.ts), one file at a time
// through media source and detector process (the stages), and through the real daemon. Figures in ms are processor time,
// which says the same on a machine that does other work too. A daemon runs for weeks, so it is measured when it is warm:
// `--warm-up` pictures go through it before the clock starts. `--assets`, `--rounds`; ATTESTD_MODELS_DIR and
// ATTESTD_DETECTORS choose the packages.
import { fork } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { openDetectors } from '../../src/app/open/open-detectors.js'
import { openMedia } from '../../src/app/open/open-media.js'
import { readSamples } from '../../src/app/samples.js'
import { loadSettings } from '../../src/config/load.js'
import { systemClock } from '../../src/core/clock.js'
import { STAGES } from '../../src/detect/contract/measurement.js'
import { NO_LOOK_AT_FACES } from '../../src/detect/image/views-detector.js'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import type { BareFile, BareResult, BareTask } from './bare-loop.js'
import { startBenchDaemon } from './bench-daemon.js'
import { childrenOf, peakMb, processorMs, sharesMs } from './processor-time.js'

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '400' },
    'warm-up': { type: 'string', default: '1200' },
    rounds: { type: 'string', default: '2' },
  },
})
const ASSETS = Number(values.assets)
/** As in bench:daemon: while Node still compiles what pictures need, after 400 of them, a picture costs the daemon 2 to 3 ms more. */
const WARM_UP = Number(values['warm-up'])
const ROUNDS = Number(values.rounds)
const CONCURRENCY = 4
/** A look at 1,200 scores takes the sandbox 0.4 ms, on the same processors. */
const LOOK_MS = 100
/** The packages under test, as the daemon and the detectors of this process get them. */
const PACKAGES = Object.fromEntries([
  // The processor time of a process in a cage is not counted with that of its parent.
  ['ATTESTD_DETECTOR_CAGE', 'off'],
  ...['ATTESTD_MODELS_DIR', 'ATTESTD_DETECTORS', 'ATTESTD_DETECTOR_WORKERS'].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  }),
])
const print = (line: string) => process.stdout.write(`${line}\n`)
const row = (what: string, ms: number, remark = '') =>
  print(`  ${what.padEnd(28)}${ms.toFixed(1).padStart(7)}  ${remark}`)

interface Share {
  readonly picturesPerSecond: number
  /** Processor time of a picture, ms. */
  readonly msPerPicture: number
}

interface DaemonRun extends Share {
  readonly detectorMs: number
  readonly peakMb: readonly number[]
}

/** Distinct files of realistic size: the sample photographs, each encoded again at another quality. */
async function makeFiles(): Promise<Buffer[]> {
  const samples = (await readSamples()).filter(({ mediaType }) => mediaType === 'image')
  return Promise.all(
    Array.from({ length: ASSETS + WARM_UP }, (_, index) => {
      const sample = samples[index % samples.length]!
      return sharp(sample.path)
        .flatten()
        .jpeg({ quality: 60 + (Math.floor(index / samples.length) % 40) })
        .withExif({ IFD0: { ImageDescription: `bench ${index}` } })
        .toBuffer()
    }),
  )
}

/** One file after the other through media source and detector processes; tells what each has for the bare loop. */
async function measureStages(sandbox: Sandbox, assets: readonly SandboxAsset[], folder: string): Promise<BareFile[]> {
  const { settings } = loadSettings({ env: { ...PACKAGES, ATTESTD_IPFS_GATEWAYS: sandbox.url } })
  const detectors = await openDetectors(settings)
  const media = await openMedia(settings, { cacheDir: path.join(folder, 'stages') })
  const sums = new Map<string, number>()
  const add = (stage: string, ms: number) => sums.set(stage, (sums.get(stage) ?? 0) + ms)
  const seen: BareFile[] = []
  for (const [index, asset] of assets.entries()) {
    const before = await processorMs()
    const fetched = await media.fetch({ uri: asset.uri, contentHash: asset.contentHash })
    add('fetch', (await processorMs()) - before)
    const { elapsedMs, notes, parts } = await detectors.detect({ file: fetched.file, mediaType: 'image' })
    const kept = path.join(folder, `${index}.jpg`)
    await fs.copyFile(fetched.file, kept)
    fetched.release()
    for (const stage of STAGES) add(stage, elapsedMs.stages?.[stage] ?? 0)
    const faces = parts.filter(({ name }) => name.startsWith('face ')).length
    seen.push({ path: kept, faces: notes.includes(NO_LOOK_AT_FACES) ? null : faces })
  }
  await media.close()
  await detectors.close()
  print('stages of a picture, ms of processor time (one at a time):')
  for (const stage of ['fetch', ...STAGES])
    row(
      stage,
      (sums.get(stage) ?? 0) / assets.length,
      stage === 'fetch' ? 'the side of the sandbox that serves it included' : '',
    )
  return seen
}

/** The bare loop in as many processes as the daemon has detectors. */
async function runBare(files: readonly BareFile[]): Promise<Share> {
  const { settings } = loadSettings({ env: PACKAGES })
  const { modelsDir, detectors } = settings
  const id = detectors.find(({ shadow }) => shadow !== true)?.id ?? 'attestd-image'
  const workers = settings.detectorWorkers
  const results = await Promise.all(
    Array.from({ length: workers }, (_, worker) => {
      const mine = files.filter((_file, index) => index % workers === worker)
      return bareProcess({ folder: path.join(modelsDir, id), files: mine })
    }),
  )
  const spent = results.reduce((sum, { processorMs: ms }) => sum + ms, 0)
  const seconds = Math.max(...results.map((result) => result.seconds))
  return { picturesPerSecond: files.length / seconds, msPerPicture: spent / files.length }
}

function bareProcess(task: BareTask): Promise<BareResult> {
  const child = fork(fileURLToPath(new URL('bare-loop.ts', import.meta.url)))
  child.send(task)
  return new Promise((resolve, reject) => {
    child.once('message', (result) => resolve(result as BareResult))
    child.once('exit', (code) => reject(new Error(`the bare loop ended with ${code}`)))
  })
}

async function runDaemon(sandbox: Sandbox, register: Register, queueUrl: string, folder: string): Promise<DaemonRun> {
  const daemon = await startBenchDaemon(sandbox, folder, {
    ...PACKAGES,
    ATTESTD_QUEUE_URL: queueUrl,
    ATTESTD_ANALYZE_CONCURRENCY: String(CONCURRENCY),
  })
  const untilScored = async (count: number) => {
    while (sandbox.scores().length < count) {
      if (daemon.ended()) throw new Error(`the daemon ended; see ${folder}/daemon.log`)
      await systemClock.sleep(LOOK_MS)
    }
  }
  await register(ASSETS)
  await untilScored(WARM_UP)
  const before = await sharesMs(daemon.pid)
  const started = performance.now()
  await register(0, ASSETS)
  await untilScored(WARM_UP + ASSETS)
  const seconds = (performance.now() - started) / 1000
  const after = await sharesMs(daemon.pid)
  const [detectorMs, ownMs] = [(after.children - before.children) / ASSETS, (after.own - before.own) / ASSETS]
  const peaks = await Promise.all((await childrenOf(daemon.pid)).map(peakMb))
  daemon.kill('SIGTERM')
  await daemon.exited
  return { picturesPerSecond: ASSETS / seconds, msPerPicture: detectorMs + ownMs, detectorMs, peakMb: peaks }
}

/** Registers the files from one to before another. */
type Register = (from?: number, to?: number) => Promise<SandboxAsset[]>

async function withSandbox<T>(
  files: readonly Buffer[],
  work: (sandbox: Sandbox, register: Register, folder: string) => Promise<T>,
): Promise<T> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-bench-'))
  const sandbox = await startSandbox({ duplicateScores: 'store', rateLimit: null, embeddedWallet: null })
  try {
    const register: Register = (from, to) =>
      Promise.all(files.slice(from, to).map((content) => sandbox.registerFile('bench.jpg', { content })))
    return await work(sandbox, register, folder)
  } finally {
    await sandbox.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

/** Of several rounds the one that took least processor time: other work on the machine can only add to it. */
async function report(engine: string, bare: Share, run: () => Promise<DaemonRun>): Promise<void> {
  const rounds: DaemonRun[] = []
  for (let index = 0; index < ROUNDS; index++) rounds.push(await run())
  const best = rounds.reduce((a, b) => (b.msPerPicture < a.msPerPicture ? b : a))
  print(`daemon, queue ${engine}:`)
  row(
    'detector processes',
    best.detectorMs,
    `${(bare.msPerPicture / best.detectorMs).toFixed(2)} of the bare loop's pace`,
  )
  row('daemon', best.msPerPicture - best.detectorMs, 'fetch, queue, signing, service, records')
  const ofBare = best.picturesPerSecond / bare.picturesPerSecond
  print(
    `  ${best.picturesPerSecond.toFixed(1)} pictures/s, ${ofBare.toFixed(2)} of the bare loop (${bare.picturesPerSecond.toFixed(1)}/s)`,
  )
  print(`  most memory of a detector process: ${Math.max(...best.peakMb).toFixed(0)} MB`)
}

print(
  `${ASSETS} pictures after ${WARM_UP}, ${CONCURRENCY} at a time, ${os.availableParallelism()} cores, Node ${process.version}`,
)
const files = await makeFiles()
const bare = await withSandbox(files, async (sandbox, register, folder) => {
  const seen = await measureStages(sandbox, await register(0, ASSETS), folder)
  const share = await runBare(seen)
  row('bare loop', share.msPerPicture, 'decode, smaller, cut, the same networks, without a probe')
  return share
})
const daemonOn = (queueUrl: string) => () =>
  withSandbox(files, (sandbox, register, folder) => runDaemon(sandbox, register, queueUrl, folder))
await report('embedded', bare, daemonOn('embedded:'))
if (findRedisServer()) {
  const redis = await startRedisServer({ appendonly: true })
  let database = 0
  await report('redis', bare, () => daemonOn(`${redis.url}/${database++}`)())
  await redis.stop()
} else print('queue redis skipped: no redis-server on the path')

// `npm run bench`: assets a second on each queue engine, and the share of the time that is not fetch + decode + inference.
// Beside each daemon run, the same files go through the same media source and detector processes with nothing around
// them; the ratio of the two is what queue, signing, service and records cost.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { startDaemonProcess } from '../../src/app/daemon-process.js'
import { openDetectors } from '../../src/app/open-detectors.js'
import { openMedia } from '../../src/app/open-media.js'
import { readSamples } from '../../src/app/samples.js'
import { loadSettings } from '../../src/config/load.js'
import { systemClock } from '../../src/core/clock.js'
import type { SandboxAsset } from '../../src/sandbox/asset-book.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/create-sandbox.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'

const { values } = parseArgs({
  options: { assets: { type: 'string', default: '400' }, rounds: { type: 'string', default: '2' } },
})
const ASSETS = Number(values.assets)
const ROUNDS = Number(values.rounds)
const CONCURRENCY = 4
const print = (line: string) => process.stdout.write(`${line}\n`)

interface Round {
  readonly bareSeconds: number
  readonly daemonSeconds: number
}

/** Distinct files of realistic size: the sample photographs, each encoded again at another quality. */
async function makeFiles(): Promise<Buffer[]> {
  const samples = (await readSamples()).filter(({ mediaType }) => mediaType === 'image')
  return Promise.all(
    Array.from({ length: ASSETS }, (_, index) => {
      const sample = samples[index % samples.length]!
      return sharp(sample.path)
        .flatten()
        .jpeg({ quality: 60 + (Math.floor(index / samples.length) % 40) })
        .withExif({ IFD0: { ImageDescription: `bench ${index}` } })
        .toBuffer()
    }),
  )
}

async function bareSeconds(sandbox: Sandbox, assets: readonly SandboxAsset[], folder: string): Promise<number> {
  const { settings } = loadSettings({ env: { ATTESTD_IPFS_GATEWAYS: sandbox.url } })
  const detectors = await openDetectors(settings)
  const media = await openMedia(settings, { cacheDir: path.join(folder, 'bare') })
  const left = [...assets]
  const started = performance.now()
  const lane = async () => {
    for (let asset = left.pop(); asset; asset = left.pop()) {
      const fetched = await media.fetch({ uri: asset.uri, contentHash: asset.contentHash })
      await detectors.detect({ file: fetched.file, mediaType: 'image' }).finally(fetched.release)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  const seconds = (performance.now() - started) / 1000
  await media.close()
  await detectors.close()
  return seconds
}

async function daemonSeconds(sandbox: Sandbox, register: () => Promise<unknown>, queueUrl: string, folder: string) {
  const daemon = await startDaemonProcess({
    env: {
      ATTESTD_SERVICE_URL: sandbox.url,
      ATTESTD_IPFS_GATEWAYS: sandbox.url,
      ATTESTD_ACCESS_KEY: sandbox.attesterKey.accessKey,
      ATTESTD_SIGNING_SECRET: sandbox.attesterKey.signingSecret,
      ATTESTD_QUEUE_URL: queueUrl,
      ATTESTD_ANALYZE_CONCURRENCY: String(CONCURRENCY),
      ATTESTD_UNSURE_POLICY: 'submit',
      ATTESTD_HTTP_PORT: '0',
      ATTESTD_LOG_FORMAT: 'json',
    },
    dataDir: path.join(folder, 'data'),
    logFile: path.join(folder, 'daemon.log'),
    clock: systemClock,
    startMs: 120_000,
  })
  const started = performance.now()
  await register()
  while (sandbox.scores().length < ASSETS) {
    if (daemon.ended()) throw new Error(`the daemon ended; see ${folder}/daemon.log`)
    await systemClock.sleep(20)
  }
  const seconds = (performance.now() - started) / 1000
  daemon.kill('SIGTERM')
  await daemon.exited
  return seconds
}

async function round(files: readonly Buffer[], queueUrl: string): Promise<Round> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-bench-'))
  const sandbox = await startSandbox({ duplicateScores: 'store', rateLimit: null, embeddedWallet: null })
  try {
    const register = () =>
      Promise.all(files.map((content, index) => sandbox.registerFile(`bench-${index}.jpg`, { content })))
    const assets = await register()
    const bare = await bareSeconds(sandbox, assets, folder)
    sandbox.control.reset()
    return { bareSeconds: bare, daemonSeconds: await daemonSeconds(sandbox, register, queueUrl, folder) }
  } finally {
    await sandbox.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

function report(engine: string, rounds: readonly Round[]): void {
  const best = rounds.reduce((a, b) => (b.daemonSeconds / b.bareSeconds < a.daemonSeconds / a.bareSeconds ? b : a))
  for (const { bareSeconds: bare, daemonSeconds: whole } of rounds) {
    const share = Math.max(0, 1 - bare / whole)
    print(
      `${engine.padEnd(9)} ${(ASSETS / whole).toFixed(1)} assets/s; fetch + decode + inference alone ${(ASSETS / bare).toFixed(1)}/s; ` +
        `ratio ${(whole / bare).toFixed(2)}; everything else ${(share * 100).toFixed(0)} % of the time`,
    )
  }
  print(`${engine.padEnd(9)} best ratio of ${rounds.length}: ${(best.daemonSeconds / best.bareSeconds).toFixed(2)}`)
}

print(`${ASSETS} assets, ${CONCURRENCY} at a time, ${os.availableParallelism()} cores, Node ${process.version}`)
const files = await makeFiles()
const embedded: Round[] = []
for (let index = 0; index < ROUNDS; index++) embedded.push(await round(files, 'embedded:'))
report('embedded', embedded)
if (findRedisServer()) {
  const redis = await startRedisServer({ appendonly: true })
  const rounds: Round[] = []
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round(files, `${redis.url}/${index}`))
  report('redis', rounds)
  await redis.stop()
} else print('redis     skipped: no redis-server on the path')

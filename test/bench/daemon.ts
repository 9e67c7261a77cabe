// `npm run bench:daemon`: processor time of the daemon for a picture, without its detector processes, on each queue engine. The
// detector is tiny and the pictures are small, so that a slow machine shows it, too. Node's compiler takes some 5 ms of each of
// the first 1,000 pictures, which a daemon that runs for weeks does not: they warm it up, and the first 200 of them are printed
// as cold. What it takes while nothing is open is printed last. `--assets`, `--warm-up`.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.js'
import { image } from '../support/daemon-bench.js'
import { writeTinyPackage } from '../support/detector-package.js'
import { findRedisServer, startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import { startBenchDaemon } from './bench-daemon.js'
import { sharesMs } from './processor-time.js'

const { values } = parseArgs({
  options: {
    assets: { type: 'string', default: '400' },
    'warm-up': { type: 'string', default: '1200' },
  },
})
const [ASSETS, WARM_UP] = [Number(values.assets), Number(values['warm-up'])]
/** Pictures after the start whose cost is printed as that of a cold daemon. */
const COLD = Math.min(200, WARM_UP)
/** How long the daemon is watched while nothing is open, after as long without a look, ms. */
const IDLE_MS = 10_000
const print = (line: string) => process.stdout.write(`${line}\n`)

async function measure(queueUrl: string, folder: string): Promise<void> {
  const sandbox = await startSandbox({ duplicateScores: 'store', rateLimit: null, embeddedWallet: null })
  try {
    const modelsDir = path.join(folder, 'models')
    await writeTinyPackage(modelsDir)
    const daemon = await startBenchDaemon(sandbox, folder, {
      ATTESTD_QUEUE_URL: queueUrl,
      ATTESTD_MODELS_DIR: modelsDir,
      ATTESTD_DETECTOR_CAGE: 'off',
    })
    const scored = async (from: number, to: number) => {
      const contents = await Promise.all(Array.from({ length: to - from }, (_, nth) => image('cost', from + nth)))
      const before = await sharesMs(daemon.pid)
      for (const [nth, content] of contents.entries()) await sandbox.registerFile(`${from + nth}.png`, { content })
      while (sandbox.scores().length < to) await systemClock.sleep(20)
      const after = await sharesMs(daemon.pid)
      const each = (ms: number) => ms / (to - from)
      return { own: each(after.own - before.own), detectors: each(after.children - before.children) }
    }
    const cold = await scored(0, COLD)
    await scored(COLD, WARM_UP)
    const { own, detectors } = await scored(WARM_UP, WARM_UP + ASSETS)
    const engine = queueUrl.split(':')[0]
    print(
      `queue ${engine}: daemon ${own.toFixed(1)} ms a picture (the first ${COLD}: ${cold.own.toFixed(1)} ms), detector processes ${detectors.toFixed(1)} ms`,
    )
    await systemClock.sleep(IDLE_MS)
    const before = await sharesMs(daemon.pid)
    await systemClock.sleep(IDLE_MS)
    const idle = ((await sharesMs(daemon.pid)).own - before.own) / (IDLE_MS / 1000)
    print(`queue ${engine}: idle daemon ${idle.toFixed(1)} ms a second`)
    daemon.kill('SIGTERM')
    await daemon.exited
  } finally {
    await sandbox.close()
  }
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-cost-'))
  await work(folder).finally(() => fs.rm(folder, { recursive: true, force: true }))
}

print(`${ASSETS} small pictures after ${WARM_UP}, ${os.availableParallelism()} cores, Node ${process.version}`)
await inFolder((folder) => measure('embedded:', folder))
if (findRedisServer()) {
  const redis = await startRedisServer({ appendonly: true })
  await inFolder((folder) => measure(redis.url, folder)).finally(() => redis.stop())
} else print('queue redis skipped: no redis-server on the path')

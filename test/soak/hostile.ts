import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { systemClock } from '../../src/core/clock.js'
import { PRIORITY_MS } from '../../src/pipeline/jobs.js'
import { startBenchDaemon } from '../bench/bench-daemon.js'
import { peakMb } from '../bench/processor-time.js'
import { CROWD_MAX_BYTES, HonestWatch, registerCrowd } from '../support/hostile-crowd.js'
import { HostileGateway } from '../support/hostile-gateway.js'
import { startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import { type Sample, takeSample } from './sample.js'

const LOOK_MS = 1_000
/** The metrics are read this often, ms. */
const SAMPLE_MS = 10_000

/** How large the crowd is and how fast it comes; with `isRedis` on a Redis of its own. */
export interface HostileRun {
  readonly assets: number
  readonly honest: number
  readonly perSecond: number
  readonly isRedis: boolean
}

/**
 * Lets a daemon with the real detectors work on urgent assets of which all but some are hostile. Prints when each honest
 * one was scored, and what the daemon took.
 * @returns whether every honest asset was scored within its deadline
 */
export async function soakHostile(run: HostileRun): Promise<boolean> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-hostile-soak-'))
  const sandbox = await startSandbox({ rateLimit: null, embeddedWallet: null })
  const gateway = await HostileGateway.start(sandbox.url)
  const redis = run.isRedis ? await startRedisServer({ appendonly: true }) : null
  try {
    return await soak(run, folder, sandbox, gateway, redis?.url ?? 'embedded:')
  } finally {
    await Promise.all([sandbox.close(), gateway.stop(), redis?.stop()])
    await fs.rm(folder, { recursive: true, force: true })
  }
}

async function soak(
  { assets, honest, perSecond }: HostileRun,
  folder: string,
  sandbox: Awaited<ReturnType<typeof startSandbox>>,
  gateway: HostileGateway,
  queueUrl: string,
): Promise<boolean> {
  const paths = { dataDir: path.join(folder, 'data'), logFile: path.join(folder, 'daemon.log') }
  const daemon = await startBenchDaemon(sandbox, folder, {
    ATTESTD_IPFS_GATEWAYS: gateway.url,
    ATTESTD_QUEUE_URL: queueUrl,
    ATTESTD_MEDIA_MAX_BYTES: String(CROWD_MAX_BYTES),
  })
  const watch = new HonestWatch(sandbox)
  const samples: Sample[] = []
  const registered = new AbortController()
  const watching = (async () => {
    for (let at = 0; !registered.signal.aborted || (watch.look() > 0 && !daemon.ended()); at += LOOK_MS) {
      watch.look()
      if (at % SAMPLE_MS === 0 && !daemon.ended()) samples.push(await takeSample(daemon, paths))
      await systemClock.sleep(LOOK_MS)
    }
  })()
  const began = performance.now()
  try {
    await registerCrowd({
      sandbox,
      gateway,
      folder,
      hostile: assets - honest,
      honest,
      pace: (nth) => systemClock.sleep(Math.max(0, began + (nth * 1000) / perSecond - performance.now())),
      onHonest: (one) => watch.add(one),
    })
    registered.abort()
    await Promise.race([watching, systemClock.sleep(2 * PRIORITY_MS)])
    const peak = await peakMb(daemon.pid)
    const late = watch.latencies.filter((ms) => ms > PRIORITY_MS).length + watch.look()
    const most = (name: keyof Sample) => Math.max(...samples.map((one) => one[name])).toFixed(0)
    const seconds = watch.latencies.map((ms) => (ms / 1000).toFixed(1)).join(' ')
    print(`${assets} urgent assets in ${((performance.now() - began) / 1000).toFixed(0)} s, ${honest} of them honest`)
    print(`honest ones scored after ${seconds} s; ${late} not within ${PRIORITY_MS / 1000} s`)
    print(`daemon: ${peak.toFixed(0)} MB at most, detector processes together ${most('childrenMb')} MB`)
    print(`event-loop delay: ${most('loopMaxMs')} ms at most, p99 ${most('loopP99Ms')} ms at most`)
    print(`disk: ${most('diskMb')} MB, log ${most('logMb')} MB, descriptors ${most('descriptors')}`)
    return late === 0 && watch.latencies.length === honest && !daemon.ended()
  } finally {
    registered.abort()
    daemon.kill('SIGTERM')
    print(`The daemon ended with ${await daemon.exited}.`)
  }
}

const print = (line: string) => process.stdout.write(`${line}\n`)

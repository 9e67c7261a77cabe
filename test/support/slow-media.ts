import { setTimeout as sleep } from 'node:timers/promises'
import { SETTINGS } from '../../src/config/settings.js'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import type { DaemonBench } from './daemon-bench.js'
import { HostileGateway } from './hostile-gateway.js'

const URGENT = { turnaround: 'priority_5min' } as const

/**
 * Registers urgent assets with slow media, then honest urgent ones, on one daemon.
 * @param settings of the daemon, such as its queue
 * @returns how long each honest one took from its registration to its score, ms, in the order of scores
 */
export async function honestLatencies(
  bench: DaemonBench,
  { slow, honest, limitMs }: { slow: number; honest: number; limitMs: number },
  settings: Readonly<Record<string, string>> = {},
): Promise<number[]> {
  const gateway = await HostileGateway.start(bench.sandbox.url)
  try {
    for (const { uri } of await bench.registerMany(slow, 'slow', URGENT)) gateway.spoil(uri, 'slow')
    // Slow media is tried again as by default.
    const own = { ATTESTD_IPFS_GATEWAYS: gateway.url, ATTESTD_RETRY_MAX_MS: SETTINGS.retryMaxMs.fallback! }
    const daemon = await bench.start({ ...own, ...settings }).ready()
    await bench.until('slow assets in the queue', async () => {
      const analyze = (await daemon.queues()).find(({ name }) => name === 'analyze-image')
      return analyze !== undefined && analyze.waiting + analyze.active + analyze.delayed >= slow
    })
    const started = performance.now()
    const assets = await bench.registerMany(honest, 'honest', URGENT)
    const latencies = await untilScored(bench, assets, started, limitMs)
    await daemon.kill9()
    return latencies
  } finally {
    await gateway.stop()
  }
}

async function untilScored(bench: DaemonBench, assets: readonly SandboxAsset[], started: number, limitMs: number) {
  const waiting = new Set(assets.map(({ id }) => id))
  const latencies: number[] = []
  while (waiting.size > 0) {
    if (performance.now() - started > limitMs) throw new Error(`${waiting.size} have no score\n${bench.picture()}`)
    for (const { assetId } of bench.sandbox.scores()) {
      if (waiting.delete(assetId)) latencies.push(performance.now() - started)
    }
    await sleep(50)
  }
  return latencies
}

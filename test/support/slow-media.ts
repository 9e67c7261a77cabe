import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import type { DaemonBench } from './daemon-bench.js'

/** A byte of slow media comes this often, ms. */
const DRIP_MS = 5_000
const URGENT = { turnaround: 'priority_5min' } as const

/** A gateway in front of another that delivers some CIDs at one byte per 5 s and passes the rest on. */
export class SlowGateway {
  readonly slow = new Set<string>()
  readonly #server: http.Server

  private constructor(origin: string) {
    this.#server = http.createServer((request, response) => {
      const cid = /^\/ipfs\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? ''
      if (this.slow.has(cid)) drip(response)
      else
        request.pipe(
          http.request(new URL(request.url!, origin), { headers: request.headers }, (reply) => {
            response.writeHead(reply.statusCode!, reply.headers)
            reply.pipe(response)
          }),
        )
    })
  }

  static async start(origin: string): Promise<SlowGateway> {
    const gateway = new SlowGateway(origin)
    await new Promise<void>((resolve) => gateway.#server.listen(0, '127.0.0.1', resolve))
    return gateway
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** The bytes are the beginning of a header of 58 bytes, so nothing is wrong with them for five minutes. */
function drip(response: http.ServerResponse): void {
  const header = [58, 0xa2, 0x65, ...Buffer.from('roots')]
  response.writeHead(200, { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=y' })
  const next = () => void response.write(Buffer.of(header.shift() ?? 0))
  next()
  const timer = setInterval(next, DRIP_MS)
  response.on('close', () => clearInterval(timer))
}

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
  const gateway = await SlowGateway.start(bench.sandbox.url)
  try {
    for (const { uri } of await bench.registerMany(slow, 'slow', URGENT)) gateway.slow.add(cidOf(uri))
    const daemon = await bench.start({ ATTESTD_IPFS_GATEWAYS: gateway.url, ...settings }).ready()
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

const cidOf = (uri: string) => uri.replace('ipfs://', '').split('/')[0]!

import http from 'node:http'
import type net from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import type { SandboxAsset } from '../../src/sandbox/books/asset-book.js'
import { DaemonBench } from '../support/daemon-bench.js'

const TOKEN = 'another-kind-of-token'
const NONCE = 'abc123'
const LOOKS_AFTER = 4

const scoreShape = z.object({ deepfakeRiskBps: z.number(), offchainAttestation: z.object({ uid: z.string() }) })

/** A wallet-session service whose answers have, where the document shows no shape, other shapes than the sandbox's. */
class OtherService {
  readonly scores: (z.infer<typeof scoreShape> & { verifier: string })[] = []
  readonly #counts = new Map<string, number>()
  readonly #server: http.Server

  private constructor(
    readonly wallet: string,
    readonly asset: SandboxAsset,
  ) {
    this.#server = http.createServer((request, response) => void this.#answer(request, response))
  }

  static async start(wallet: string, asset: SandboxAsset): Promise<OtherService> {
    const service = new OtherService(wallet, asset)
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`
  }

  count(route: string): number {
    return this.#counts.get(route) ?? 0
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const route = `${request.method} ${request.url!.split('?')[0]}`
    this.#counts.set(route, this.count(route) + 1)
    if (route === 'GET /v1/stream/open-assets') {
      const event = `event: snapshot\ndata: ${JSON.stringify([this.#record()])}\n\n: ping\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event)
      return
    }
    const isPublic = route.includes('/v1/auth/')
    const known = isPublic || request.headers.authorization === `Bearer ${TOKEN}`
    const reply = known ? this.#replyTo(route, Buffer.concat(chunks).toString()) : undefined
    const status = known ? (reply === undefined ? 404 : 200) : 401
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply ?? { error: 'no' }))
  }

  #replyTo(route: string, body: string): unknown {
    const now = Math.floor(Date.now() / 1000)
    switch (route) {
      case 'GET /v1/auth/challenge': {
        const message = `Sign this message to log in.\n\nWallet: ${this.wallet}\nNonce: ${NONCE}`
        return { message, nonce: NONCE, expiresAt: (now + 300) * 1000 }
      }
      case 'POST /v1/auth/session':
        return { token: TOKEN, expiresAt: now + 3600, address: this.wallet, roles: ['attester'] }
      case 'GET /v1/chain/latest':
        return { blockNumber: '0x10', blockTimestamp: String(now) }
      case 'GET /v1/assets/open':
        return [this.#record()]
      case 'GET /v1/assets/a-1':
        return { ...this.#record(), scores: this.scores, aggregate: {} }
      case 'POST /v1/assets/a-1/scores':
        this.scores.push({ ...scoreShape.parse(JSON.parse(body)), verifier: this.wallet })
        return { ok: true }
      default:
        return undefined
    }
  }

  /** The fields that the document names, and no others but an id. */
  #record() {
    const { contentHash, contributorAttestationUid, ownerAddress, title, uri, verificationDeadline } = this.asset
    const stated = { contentHash, contributorAttestationUid, ownerAddress, title, uri, verificationDeadline }
    return { assetId: 'a-1', ...stated, mediaContext: '', status: 'open' }
  }
}

let bench: DaemonBench
let service: OtherService | undefined

afterEach(async () => {
  await bench.dispose()
  await service?.close()
})

it('a wallet-session service that gives what is not shown in shapes of its own gets one score, in one session', async () => {
  bench = await DaemonBench.create({ api: 'wallet-session' })
  await bench.prepare()
  const other = await OtherService.start(bench.sandbox.wallets.attester.address, await bench.register('shapes'))
  service = other
  const daemon = bench.startHere({ ATTESTD_SERVICE_URL: other.url })
  await bench.until('a score', () => other.scores.length > 0)
  await bench.quiet()
  const lists = other.count('GET /v1/assets/open')
  await bench.until('more lists', () => other.count('GET /v1/assets/open') > lists + LOOKS_AFTER)
  await bench.quiet()
  expect(other.scores).toHaveLength(1)
  expect(other.count('POST /v1/auth/session')).toBe(1)
  daemon.signal('SIGTERM')
  expect(await daemon.exited).toBe(0)
})

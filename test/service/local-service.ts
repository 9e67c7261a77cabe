import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import http from 'node:http'
import { serviceOptionsOf } from '../../src/app/open/service-options.js'
import { loadSettings } from '../../src/config/load.js'
import type { ServiceOptions } from '../../src/service/service-parts.js'
import { endServer, listen, urlOf } from '../support/local-server.js'

export interface Seen {
  readonly method: string
  /** Path and query as they came. */
  readonly target: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

export type Handler = (request: Seen, response: http.ServerResponse) => void | Promise<void>

/** What the settings state by default for a service at this address. */
export const defaultsFor = (serviceUrl: string): ServiceOptions =>
  serviceOptionsOf(loadSettings({ env: { ATTESTD_SERVICE_URL: serviceUrl } }).settings)

export const ACCESS_KEY = 'ak_att_test'
export const SIGNING_SECRET = 'clé-of-the-test'

/** A real HTTP server on a free port that answers as the test says and keeps what it saw. */
export class LocalServer {
  readonly seen: Seen[] = []
  readonly #server: http.Server
  handler: Handler

  private constructor(handler: Handler) {
    this.handler = handler
    this.#server = http.createServer((incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming
        const request = { method, target: url, headers, body: Buffer.concat(chunks).toString('utf8') }
        this.seen.push(request)
        void this.handler(request, response)
      })
    })
  }

  static async start(handler: Handler): Promise<LocalServer> {
    const server = new LocalServer(handler)
    await listen(server.#server)
    return server
  }

  get url(): string {
    return urlOf(this.#server)
  }

  stop(): Promise<void> {
    return endServer(this.#server)
  }
}

export function sendJson(response: http.ServerResponse, status: number, value: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(value))
}

/**
 * Checks a signed request as the specification says, by this file's own code.
 * @returns what is wrong with it, or null
 */
export function wrongWith(request: Seen, serviceNow: number, prefix = 'service'): string | null {
  const header = (name: string) => String(request.headers[`${prefix}-${name}`] ?? '')
  if (header('access-key') !== ACCESS_KEY) return 'access key'
  const timestamp = header('timestamp')
  if (!/^\d+$/.test(timestamp)) return 'timestamp'
  if (Math.abs(Number(timestamp) - serviceNow) > 30_000) return 'window'
  const digest = createHash('sha256').update(request.body).digest('hex')
  const text = `${timestamp}\n${request.method}\n${request.target}\n${digest}`
  const expected = createHmac('sha256', SIGNING_SECRET).update(text).digest('hex')
  const got = header('signature')
  return got.length === 64 && timingSafeEqual(Buffer.from(got), Buffer.from(expected)) ? null : 'signature'
}

/** An asset as the wire carries it. */
export function wireAsset(id: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id,
    title: `Title of ${id}`,
    mediaContext: '',
    contentHash: `0x${'AB'.repeat(32)}`,
    uri: 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy',
    status: 'open',
    mediaType: 'image',
    turnaround: 'standard',
    scoreCount: 0,
    ...changes,
  }
}

export const WIRE_STAKE = { stakedWei: '2000000000000000000000', minStakeWei: '1000000000000000000' }

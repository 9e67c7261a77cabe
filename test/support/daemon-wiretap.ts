import http from 'node:http'
import type net from 'node:net'

/** One signed exchange about one asset. Times are monotonic, ms. */
export interface Exchange {
  readonly kind: 'ask' | 'send'
  readonly assetId: string
  readonly askedAt: number
  /** When the service's answer was there; null where none came. */
  answeredAt: number | null
  status: number | null
  /** For an ask: whether the answer named a score of this attester. */
  toldScored: boolean
}

const ASSET_PATH = /^\/api\/v1\/attester\/media\/([^/?]+)(\/scores)?(\?|$)/

/** Stands between one daemon and the service, passes everything on as it is, and notes asks and sends. */
export class Wiretap {
  readonly exchanges: Exchange[] = []
  readonly #server: http.Server
  readonly #target: URL

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = http.createServer((request, response) => this.#pass(request, response))
  }

  static async start(target: string): Promise<Wiretap> {
    const tap = new Wiretap(target)
    await new Promise<void>((resolve) => tap.#server.listen(0, '127.0.0.1', resolve))
    return tap
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`
  }

  of(assetId: string, kind: Exchange['kind']): Exchange[] {
    return this.exchanges.filter((one) => one.assetId === assetId && one.kind === kind)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #pass(request: http.IncomingMessage, response: http.ServerResponse): void {
    const exchange = this.#note(request)
    const { hostname, port } = this.#target
    const { method, url: path, headers } = request
    const onward = http.request({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => exchange?.kind === 'ask' && chunks.push(chunk))
      answer.on('end', () => {
        if (!exchange) return
        exchange.answeredAt = performance.now()
        exchange.status = answer.statusCode ?? null
        exchange.toldScored = /"myScore":\{"submitted":true/.test(Buffer.concat(chunks).toString())
      })
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }

  #note({ method, url = '' }: http.IncomingMessage): Exchange | null {
    const [, id, scores] = ASSET_PATH.exec(url) ?? []
    if (!id || id === 'stream') return null
    const kind = method === 'POST' && scores ? 'send' : 'ask'
    const exchange: Exchange = {
      kind,
      assetId: decodeURIComponent(id),
      askedAt: performance.now(),
      answeredAt: null,
      status: null,
      toldScored: false,
    }
    this.exchanges.push(exchange)
    return exchange
  }
}

import type http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Recorded, WireRecorder } from './wire-recorder.js'

/** One signed exchange about one asset. Times are monotonic, ms. */
export interface Exchange {
  readonly kind: 'ask' | 'send'
  readonly assetId: string
  /** When the daemon sent it. */
  readonly leftAt: number
  /** When the service had answered; null where it did not. */
  answeredAt: number | null
  /** When the daemon got the answer. */
  heardAt: number | null
  /** For an ask: whether the answer named a score of this attester. */
  knownScored: boolean
}

/** An asset and its scores, on either API. */
const ASSET_PATH = /^(?:\/api\/v1\/attester\/media|\/v1\/assets)\/([^/?]+)(\/scores)?(?:\?|$)/
const NO_IDS = new Set(['stream', 'open', 'by-owner'])

interface TapOptions {
  /** The way to a distant service and back, added to every ask and send, ms. @default 0 */
  readonly roundTripMs?: number
  /** The wallet whose scores on record are looked for where the API names no `myScore`. */
  readonly attester?: string
  /** What the daemon is told of its nth send (from 0) in place of the service's answer. @default the service's answer */
  readonly toldOfSend?: (nth: number) => { readonly status: number; readonly type: string; readonly body: string }
}

/** Stands between one daemon and the service, passes everything on as it is, and notes asks and sends. */
export class Wiretap extends WireRecorder {
  readonly exchanges: Exchange[] = []
  readonly #oneWayMs: number
  readonly #attester: string
  readonly #toldOfSend: TapOptions['toldOfSend']
  #sends = 0

  private constructor(target: string, { roundTripMs = 0, attester = '', toldOfSend }: TapOptions) {
    super(target)
    this.#oneWayMs = roundTripMs / 2
    this.#attester = attester.toLowerCase()
    this.#toldOfSend = toldOfSend
  }

  static override async start(target: string, options: TapOptions = {}): Promise<Wiretap> {
    return new Wiretap(target, options).listen()
  }

  of(assetId: string, kind: Exchange['kind']): Exchange[] {
    return this.exchanges.filter((one) => one.assetId === assetId && one.kind === kind)
  }

  protected override async take(request: Recorded, body: Buffer, response: http.ServerResponse): Promise<void> {
    const exchange = this.#note(request)
    if (!exchange) return super.take(request, body, response)
    await sleep(this.#oneWayMs)
    this.pass(request, body, response, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', async () => {
        const said = Buffer.concat(chunks)
        exchange.answeredAt = performance.now()
        exchange.knownScored = this.#reportsScore(said.toString())
        await sleep(this.#oneWayMs)
        exchange.heardAt = performance.now()
        const told = exchange.kind === 'send' ? this.#toldOfSend?.(this.#sends++) : undefined
        if (told) response.writeHead(told.status, { 'content-type': told.type }).end(told.body)
        else response.writeHead(answer.statusCode!, answer.headers).end(said)
      })
    })
  }

  #reportsScore(answer: string): boolean {
    if (/"myScore":\{"submitted":true/.test(answer)) return true
    return this.#attester !== '' && answer.toLowerCase().includes(`"attesteraddress":"${this.#attester}"`)
  }

  #note({ method, target }: Recorded): Exchange | null {
    const [, id, scores] = ASSET_PATH.exec(target) ?? []
    if (!id || NO_IDS.has(id)) return null
    const kind = method === 'POST' && scores ? 'send' : 'ask'
    const times = { leftAt: performance.now(), answeredAt: null, heardAt: null }
    const exchange: Exchange = { kind, assetId: decodeURIComponent(id), ...times, knownScored: false }
    this.exchanges.push(exchange)
    return exchange
  }
}

import http from 'node:http'
import { endServer, listen, urlOf } from './local-server.js'

/** How a gateway fails: a byte per 5 s, a cut connection, half of the bytes, or wrong ones. */
export type GatewayFault = 'slow' | 'unreachable' | 'cut' | 'spoiled'

/** A byte of slow media comes this often, ms. */
const DRIP_MS = 5_000

/** A gateway in front of another that fails for some CIDs and passes the rest on. */
export class HostileGateway {
  readonly #faults = new Map<string, GatewayFault>()
  readonly #server: http.Server

  private constructor(origin: string) {
    this.#server = http.createServer((request, response) => {
      const fault = this.#faults.get(/^\/ipfs\/([^/?]+)/.exec(request.url ?? '')?.[1] ?? '')
      if (fault === 'slow') return drip(response)
      if (fault === 'unreachable') return void request.destroy()
      const asked = http.request(new URL(request.url!, origin), { headers: request.headers }, (reply) => {
        response.writeHead(reply.statusCode!, reply.headers)
        if (fault) void spoil(reply, response, fault)
        else reply.pipe(response)
      })
      asked.on('error', () => response.destroy())
      request.pipe(asked)
    })
  }

  static async start(origin: string): Promise<HostileGateway> {
    const gateway = new HostileGateway(origin)
    await listen(gateway.#server)
    return gateway
  }

  get url(): string {
    return urlOf(this.#server)
  }

  /** From now on media of this URI (ipfs://CID) comes with the fault. */
  spoil(uri: string, fault: GatewayFault): void {
    this.#faults.set(uri.replace('ipfs://', '').split('/')[0]!, fault)
  }

  stop(): Promise<void> {
    return endServer(this.#server)
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

async function spoil(reply: http.IncomingMessage, response: http.ServerResponse, fault: GatewayFault): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of reply) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  if (fault === 'cut') return void response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  if (bytes.length > 0) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
  response.end(bytes)
}

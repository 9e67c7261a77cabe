import http from 'node:http'
import https from 'node:https'
import { CarWriter } from '@ipld/car/writer'
import { CID } from 'multiformats/cid'
import { endServer, listen, urlOf } from '../../support/local-server.js'
import type { Block, TestDag } from './dag.js'

/** What a gateway does wrong. */
export interface GatewayFaults {
  /** Takes over the whole answer; true when it did. */
  answer?: (request: http.IncomingMessage, response: http.ServerResponse) => boolean
  /** Changes the blocks of a CAR. */
  carBlocks?: (blocks: Block[]) => Block[]
  /** Changes the bytes of a CAR. */
  carBytes?: (bytes: Buffer) => Buffer
  /** Changes a single block. */
  rawBytes?: (bytes: Uint8Array) => Uint8Array
  /** Sends this many bytes of a CAR, then nothing more and no end. */
  stallAfter?: number
  /** Sends this many bytes of a CAR, then resets the connection. */
  cutAfter?: number
  /** Knows raw blocks only. */
  noCar?: boolean
  /** Speaks TLS with this key and certificate. */
  tls?: { readonly key: string; readonly cert: string }
}

/** A trustless gateway over HTTP, in this process. */
export class TestGateway {
  /** Path and query of every request, in order. */
  readonly requests: string[] = []
  readonly accepts: string[] = []
  readonly authorizations: (string | undefined)[] = []
  readonly methods = new Set<string>()
  faults: GatewayFaults
  readonly #dag: TestDag
  readonly #server: http.Server

  private constructor(dag: TestDag, faults: GatewayFaults) {
    this.#dag = dag
    this.faults = faults
    const listener: http.RequestListener = (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.statusCode = 404
        response.end(String(error))
      })
    }
    this.#server = faults.tls ? https.createServer(faults.tls, listener) : http.createServer(listener)
  }

  static async start(dag: TestDag, faults: GatewayFaults = {}): Promise<TestGateway> {
    const gateway = new TestGateway(dag, faults)
    await listen(gateway.#server)
    return gateway
  }

  get url(): string {
    return urlOf(this.#server)
  }

  get name(): string {
    return this.url.slice('http://'.length)
  }

  stop(): Promise<void> {
    return endServer(this.#server)
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    this.requests.push(request.url!)
    this.accepts.push(request.headers.accept ?? '')
    this.authorizations.push(request.headers.authorization)
    this.methods.add(request.method!)
    if (this.faults.answer?.(request, response)) return
    const url = new URL(request.url!, 'http://gateway')
    const [, , root = '', ...path] = url.pathname.split('/').map(decodeURIComponent)
    const format = url.searchParams.get('format')
    if (format === 'raw') return this.#raw(CID.parse(root), response)
    if (format !== 'car' || this.faults.noCar) {
      response.statusCode = 406
      response.end('format not supported')
      return
    }
    await this.#car(CID.parse(root), path, response)
  }

  async #raw(cid: CID, response: http.ServerResponse): Promise<void> {
    const bytes = await this.#dag.get(cid)
    response.setHeader('content-type', 'application/vnd.ipld.raw')
    response.end(this.faults.rawBytes?.(bytes) ?? bytes)
  }

  async #car(cid: CID, path: string[], response: http.ServerResponse): Promise<void> {
    const { carBlocks = (blocks) => blocks, carBytes = (bytes) => bytes, stallAfter, cutAfter } = this.faults
    const bytes = carBytes(await encodeCar(cid, carBlocks(await this.#dag.carBlocks(cid, path))))
    response.setHeader('content-type', 'application/vnd.ipld.car; version=1; order=dfs; dups=y')
    if (stallAfter !== undefined) {
      response.write(bytes.subarray(0, stallAfter))
      return
    }
    if (cutAfter !== undefined) {
      response.write(bytes.subarray(0, cutAfter), () => setImmediate(() => response.destroy()))
      return
    }
    response.end(bytes)
  }
}

export async function encodeCar(root: CID, blocks: readonly Block[]): Promise<Buffer> {
  const { writer, out } = CarWriter.create([root])
  const collected = (async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of out) chunks.push(chunk)
    return Buffer.concat(chunks)
  })()
  for (const block of blocks) await writer.put(block)
  await writer.close()
  return collected
}

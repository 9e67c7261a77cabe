import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Certificates } from './certificates.js'
import { TINY_BIAS, TINY_WEIGHTS } from './detector-package.js'
import { endServer, listen, portOf } from './local-server.js'

/** What a server does with an inference instead of answering it. */
export type Misbehavior =
  | { readonly kind: 'status'; readonly status: number; readonly text?: string; readonly location?: string }
  | { readonly kind: 'silent' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'endless' }
  | { readonly kind: 'body'; readonly body: string | Buffer; readonly headers?: Readonly<Record<string, string>> }

interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly binary: boolean
}

interface Tensor {
  readonly name: string
  readonly shape: readonly number[]
  readonly datatype: string
  readonly data?: readonly number[]
  readonly parameters?: { readonly binary_data_size?: number }
}

export const MODEL = 'tiny'
const INPUT = { name: 'pixels', datatype: 'FP32', shape: [-1, 3, -1, -1] }
const OUTPUT = { name: 'logit', datatype: 'FP32', shape: [-1, 1] }

/** Steps of this share of one fill it evenly, however many there are. */
const GOLDEN = 0.618034

/** A real server of the Open Inference Protocol v2 whose one model computes what the tiny network does. */
export class ModelServer {
  readonly asked: Asked[] = []
  ready = true
  /** Applies to inferences. */
  misbehavior: Misbehavior | null = null
  /** Replaces what the model states of itself. */
  metadata: unknown = { name: MODEL, platform: 'test', inputs: [INPUT], outputs: [OUTPUT] }
  readonly #server: http.Server
  readonly #binary: boolean
  readonly #latencyMs: number

  private constructor(
    binary: boolean,
    latencyMs: number,
    readonly certificates: Certificates | null,
  ) {
    this.#binary = binary
    this.#latencyMs = latencyMs
    const serve: http.RequestListener = (request, response) => void this.#serve(request, response)
    this.#server =
      certificates === null
        ? http.createServer(serve)
        : https.createServer({ cert: readFileSync(certificates.cert), key: readFileSync(certificates.key) }, serve)
  }

  /**
   * @param port that of a server which was closed; 0 for any
   * @param latencyMs how long an inference takes on average, for benches: from half to one and a half times as long, in turn, as
   *   files differ. With equal ones all workers of a fleet would finish in the same moment, over and over.
   * @param certificates with which it speaks https
   */
  static async start({
    binary = false,
    port = 0,
    latencyMs = 0,
    certificates = null as Certificates | null,
  } = {}): Promise<ModelServer> {
    const server = new ModelServer(binary, latencyMs, certificates)
    await listen(server.#server, port)
    return server
  }

  get port(): number {
    return portOf(this.#server)
  }

  get url(): string {
    return `http${this.certificates === null ? '' : 's'}://127.0.0.1:${this.port}`
  }

  get inferences(): readonly Asked[] {
    return this.asked.filter(({ method }) => method === 'POST')
  }

  close(): Promise<void> {
    return endServer(this.#server)
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request
    const length = headers['inference-header-content-length']
    this.asked.push({ method, path, authorization: headers.authorization, binary: length !== undefined })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (path === '/v2') {
      const extensions = this.#binary ? ['classification', 'binary_tensor_data'] : ['classification']
      return json(response, { name: 'test', version: '1', extensions })
    }
    if (path === `/v2/models/${MODEL}/ready`) return void response.writeHead(this.ready ? 200 : 503).end()
    if (path === `/v2/models/${MODEL}`) return json(response, this.metadata)
    if (path !== `/v2/models/${MODEL}/infer`) return void response.writeHead(404).end('{"error":"no such model"}')
    if (this.#latencyMs > 0) await sleep(this.#latencyMs * (0.5 + ((this.inferences.length * GOLDEN) % 1)))
    if (this.misbehavior) misbehave(this.misbehavior, response)
    else this.#infer(Buffer.concat(chunks), typeof length === 'string' ? Number(length) : null, response)
  }

  #infer(body: Buffer, length: number | null, response: http.ServerResponse): void {
    const { inputs, outputs } = JSON.parse(body.subarray(0, length ?? body.length).toString()) as {
      inputs: Tensor[]
      outputs: { name: string; parameters?: { binary_data?: boolean } }[]
    }
    const logit = Math.fround(tinyOutput(inputs[0] as Tensor, body.subarray(length ?? body.length)))
    const head = { name: OUTPUT.name, datatype: OUTPUT.datatype, shape: [1, 1] }
    if (!outputs[0]?.parameters?.binary_data) {
      json(response, { model_name: MODEL, outputs: [{ ...head, data: [logit] }] })
      return
    }
    const raw = Buffer.alloc(4)
    raw.writeFloatLE(logit)
    const text = JSON.stringify({ model_name: MODEL, outputs: [{ ...head, parameters: { binary_data_size: 4 } }] })
    response.setHeader('inference-header-content-length', Buffer.byteLength(text))
    response.end(Buffer.concat([Buffer.from(text), raw]))
  }
}

/** Mean of each channel, weighted, in double precision. */
function tinyOutput({ data, shape }: Tensor, raw: Buffer): number {
  const [, channels = 0, height = 0, width = 0] = shape
  const size = height * width
  const at = (index: number) => data?.[index] ?? raw.readFloatLE(4 * index)
  let logit = TINY_BIAS
  for (let channel = 0; channel < channels; channel++) {
    let sum = 0
    for (let index = 0; index < size; index++) sum += at(channel * size + index)
    logit += ((TINY_WEIGHTS[channel] ?? 0) * sum) / size
  }
  return logit
}

function misbehave(how: Misbehavior, response: http.ServerResponse): void {
  if (how.kind === 'status') {
    response.writeHead(how.status, how.location ? { location: how.location } : {}).end(how.text ?? '')
  } else if (how.kind === 'cut') response.destroy()
  else if (how.kind === 'body') response.writeHead(200, how.headers).end(how.body)
  else if (how.kind === 'endless') {
    const more = () => {
      while (response.write(Buffer.alloc(65_536, 0x20)));
    }
    response.on('drain', more)
    more()
  }
}

function json(response: http.ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value))
}

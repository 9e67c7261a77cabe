import { Agent, type Dispatcher, request } from 'undici'
import type { z } from 'zod'
import type { Clock } from '../../core/clock.js'
import { AttestdError, errorText, isAbort } from '../../core/errors.js'
import { readBounded } from '../../core/net/read-bounded.js'
import { cleanLine } from '../../core/text.js'
import { startDeadline } from '../../core/time-limit.js'
import type { ModelInput } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import type { RemoteRuntime } from '../package/runtime.js'
import {
  checkTensors,
  decodeReply,
  encodeRequest,
  JSON_LENGTH_HEADER,
  modelFacts,
  serverFacts,
  takesBinary,
} from './inference-protocol.js'

/** Statuses that may pass by themselves: away, restarting, loading the model, too busy, or a token that was renewed. */
const PASSING_STATUSES = new Set([401, 403, 404, 408, 425, 429])
/** Longest piece of a server's own error text that is reported, characters. */
const MAX_SERVER_TEXT = 200

/** What a remote model needs beside its manifest; the token is the setting ATTESTD_DETECTOR_TOKEN. */
export interface RemoteModelOptions {
  /** Id of the package, for messages. */
  readonly id: string
  /** How many numbers the output has for a part; null where the package does not state it. */
  readonly width: number | null
  readonly clock: Clock
  /** Sent as a bearer token; null where there is none. */
  readonly token: string | null
}

/** What was found out of the server before the first inference. */
interface Connection {
  readonly binary: boolean
}

/**
 * A model behind a server that speaks the Open Inference Protocol v2. The server is first asked at the first
 * inference, and again after a failed try, so that one that is away does not keep other detectors from starting.
 */
export function createRemoteModel(runtime: RemoteRuntime, options: RemoteModelOptions): Model {
  const server = new InferenceServer(runtime, options)
  let connecting: Promise<Connection> | null = null
  return {
    async run(inputs) {
      connecting ??= server.connect()
      const attempt = connecting
      const { binary } = await attempt.catch((error: unknown) => {
        if (connecting === attempt) connecting = null
        throw error
      })
      return server.infer(inputs, binary)
    },
  }
}

interface Answer {
  readonly body: Buffer
  readonly jsonLength: string | null
}

class InferenceServer {
  readonly #base: string
  readonly #model: string
  readonly #agent = new Agent({ connections: 1, pipelining: 1 })

  readonly #runtime: RemoteRuntime
  readonly #options: RemoteModelOptions

  constructor(runtime: RemoteRuntime, options: RemoteModelOptions) {
    this.#runtime = runtime
    this.#options = options
    const { model, modelVersion, url } = runtime
    this.#base = `${url.replace(/\/+$/, '')}/v2`
    this.#model = `/models/${model}${modelVersion === undefined ? '' : `/versions/${modelVersion}`}`
  }

  /** @throws AttestdError detector-unreachable (away, not ready), manifest-invalid (other tensors), detector-failed */
  async connect(): Promise<Connection> {
    await this.#ask('GET', `${this.#model}/ready`)
    const model = this.#parse(modelFacts, (await this.#ask('GET', this.#model)).body)
    checkTensors(model, this.#runtime, this.#options)
    const server = this.#parse(serverFacts, (await this.#ask('GET', '')).body)
    return { binary: takesBinary(server) }
  }

  /** @throws AttestdError detector-unreachable, detector-failed */
  async infer(inputs: readonly ModelInput[], binary: boolean): Promise<Float32Array> {
    const { input, output } = this.#runtime
    const { headers, body } = encodeRequest(input, inputs, output, binary)
    const answer = await this.#ask('POST', `${this.#model}/infer`, headers, body)
    return decodeReply(answer.body, answer.jsonLength, output)
  }

  async #ask(
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: Buffer,
  ): Promise<Answer> {
    const { timeoutMs } = this.#runtime
    const { clock, token } = this.#options
    const deadline = startDeadline(clock, timeoutMs)
    try {
      // Redirects are not followed by `request`; the time limit is for the whole exchange.
      const reply = await request(`${this.#base}${path}`, {
        method,
        headers: { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) },
        body: body ?? null,
        dispatcher: this.#agent,
        signal: deadline.signal,
      })
      const answer = await this.#read(reply.body)
      this.#checkStatus(reply.statusCode, answer)
      return { body: answer, jsonLength: headerText(reply.headers[JSON_LENGTH_HEADER]) }
    } catch (error) {
      if (error instanceof AttestdError) throw error
      const how = isAbort(error) ? `did not answer within ${timeoutMs} ms` : `cannot be reached (${errorText(error)})`
      throw this.#unreachable(how, error)
    } finally {
      deadline.clear()
    }
  }

  #read(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
    const { maxReplyBytes } = this.#runtime
    return readBounded(body, maxReplyBytes, () => {
      return new AttestdError('detector-failed', `${this.#name} answered with more than ${maxReplyBytes} bytes.`)
    })
  }

  #checkStatus(status: number, body: Buffer): void {
    if (status >= 200 && status < 300) return
    const stated = cleanLine(body.subarray(0, 4 * MAX_SERVER_TEXT).toString('utf8'), MAX_SERVER_TEXT)
    const hint = status === 401 || status === 403 ? ' (its token is ATTESTD_DETECTOR_TOKEN)' : ''
    const how = `answered with ${status}${hint}${stated ? `: ${stated}` : ''}`
    if (status >= 500 || PASSING_STATUSES.has(status)) throw this.#unreachable(how)
    const redirect = status >= 300 && status < 400
    throw new AttestdError(
      'detector-failed',
      `${this.#name} ${redirect ? `${how} (redirects are not followed)` : how}.`,
    )
  }

  #parse<T>(schema: z.ZodType<T>, body: Buffer): T {
    try {
      return schema.parse(JSON.parse(body.toString('utf8')))
    } catch (error) {
      throw new AttestdError('detector-failed', `${this.#name} does not speak the Open Inference Protocol v2.`, {
        cause: error,
      })
    }
  }

  #unreachable(how: string, cause?: unknown): AttestdError {
    return new AttestdError('detector-unreachable', `${this.#name} ${how}.`, { cause })
  }

  get #name(): string {
    return `The model server ${new URL(this.#runtime.url).origin} of ${this.#options.id} (model ${this.#runtime.model})`
  }
}

function headerText(value: string | string[] | undefined): string | null {
  return typeof value === 'string' ? value : null
}

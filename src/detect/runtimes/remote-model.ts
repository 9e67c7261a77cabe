import type { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
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
import { ModelServer, type ModelServerOptions } from './model-server.js'

/** What a remote model needs in addition to its manifest. */
export interface RemoteModelOptions extends Omit<ModelServerOptions, 'of'> {
  /** Id of the package, for messages. */
  readonly id: string
  /** How many numbers the output has for a part; null where the package does not state it. */
  readonly width: number | null
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

class InferenceServer {
  readonly #base: string
  readonly #model: string
  readonly #server: ModelServer
  readonly #runtime: RemoteRuntime
  readonly #options: RemoteModelOptions

  constructor(runtime: RemoteRuntime, options: RemoteModelOptions) {
    this.#runtime = runtime
    this.#options = options
    const { model, modelVersion, url } = runtime
    this.#base = `${url.replace(/\/+$/, '')}/v2`
    this.#model = `${this.#base}/models/${model}${modelVersion === undefined ? '' : `/versions/${modelVersion}`}`
    this.#server = new ModelServer(runtime, { ...options, of: `${options.id} (model ${model})` })
  }

  /** @throws AttestdError detector-unreachable (away, not ready), manifest-invalid (other tensors), detector-failed */
  async connect(): Promise<Connection> {
    await this.#server.ask('GET', `${this.#model}/ready`)
    const model = this.#parse(modelFacts, (await this.#server.ask('GET', this.#model)).body)
    checkTensors(model, this.#runtime, this.#options)
    const server = this.#parse(serverFacts, (await this.#server.ask('GET', this.#base)).body)
    return { binary: takesBinary(server) }
  }

  /** @throws AttestdError detector-unreachable, detector-failed */
  async infer(inputs: readonly ModelInput[], binary: boolean): Promise<Float32Array> {
    const { input, output } = this.#runtime
    const { headers, body } = encodeRequest(input, inputs, output, binary)
    const answer = await this.#server.ask('POST', `${this.#model}/infer`, headers, body)
    return decodeReply(answer.body, headerText(answer.headers[JSON_LENGTH_HEADER]), output)
  }

  #parse<T>(schema: z.ZodType<T>, body: Buffer): T {
    try {
      return schema.parse(JSON.parse(body.toString('utf8')))
    } catch (error) {
      throw new AttestdError('detector-failed', `${this.#server.name} does not speak the Open Inference Protocol v2.`, {
        cause: error,
      })
    }
  }
}

const headerText = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null)

import type { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
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

/**
 * A model behind a server that speaks the Open Inference Protocol v2. The server is first asked at the first
 * inference, and again after a failed try, so that one that is away does not keep other detectors from starting.
 */
export function createRemoteModel(runtime: RemoteRuntime, options: RemoteModelOptions): Model {
  const { input, model, modelVersion, output, url } = runtime
  const base = `${url.replace(/\/+$/, '')}/v2`
  const path = `${base}/models/${model}${modelVersion === undefined ? '' : `/versions/${modelVersion}`}`
  const server = new ModelServer(runtime, { ...options, of: `${options.id} (model ${model})` })
  const factsAt = async <T>(schema: z.ZodType<T>, at: string): Promise<T> => {
    const { body } = await server.ask('GET', at)
    try {
      return schema.parse(JSON.parse(body.toString('utf8')))
    } catch (cause) {
      const words = `${server.name} does not speak the Open Inference Protocol v2.`
      throw new AttestdError('detector-failed', words, { cause })
    }
  }
  /** Whether it takes binary tensors. @throws AttestdError detector-unreachable (away, not ready), manifest-invalid (other tensors), detector-failed */
  const connect = async (): Promise<boolean> => {
    await server.ask('GET', `${path}/ready`)
    checkTensors(await factsAt(modelFacts, path), runtime, options)
    return takesBinary(await factsAt(serverFacts, base))
  }
  let isBinary: boolean | null = null
  return {
    async run(inputs) {
      isBinary ??= await connect()
      const { headers, body } = encodeRequest(input, inputs, output, isBinary)
      const answer = await server.ask('POST', `${path}/infer`, headers, body)
      return decodeReply(answer.body, headerText(answer.headers[JSON_LENGTH_HEADER]), output)
    },
  }
}

const headerText = (value: string | string[] | undefined): string | null => (typeof value === 'string' ? value : null)

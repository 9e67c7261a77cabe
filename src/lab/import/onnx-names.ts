import type { Clock } from '../../core/clock.js'
import { askLabChild, startLabChild } from '../ask-child.js'
import { unsupported } from './import-error.js'
import { type FromOnnxChild, fromOnnxChildSchema } from './onnx-messages.js'

/** Longest time for opening the weights, ms: a gigabyte takes some seconds. */
const TIMEOUT_MS = 120_000

/** Inputs and outputs of a network. */
export type OnnxNames = Extract<FromOnnxChild, { inputs: unknown }>

/** Opens weights in its own process and states what they take and give. @throws AttestdError import-unsupported */
export async function onnxNames(model: string, clock: Clock): Promise<OnnxNames> {
  const child = startLabChild(import.meta.url, 'onnx-child')
  try {
    const answer = await askLabChild(child, { model }, fromOnnxChildSchema, { clock, timeoutMs: TIMEOUT_MS })
    if (answer === null) throw unsupported(`${model} cannot be opened: the process that opened it ended or hung.`)
    if ('failed' in answer) throw unsupported(`${model} is not a network that runs here: ${answer.failed}`)
    return answer
  } finally {
    child.kill('SIGKILL')
  }
}

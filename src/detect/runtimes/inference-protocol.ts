import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import type { ModelInput } from '../contract/medium-reader.js'
import { manifestRefused } from '../package/manifest-refused.js'
import { requireInputs, requireWidth } from './model-shape.js'

// Open Inference Protocol v2 over HTTP (https://github.com/kserve/open-inference-protocol) and Triton's binary tensor
// data extension: the numbers of a tensor follow the JSON as little-endian bytes instead of standing in it.

/** Length of the JSON before the binary tensors, in bytes. */
export const JSON_LENGTH_HEADER = 'inference-header-content-length'
/** What a server's `extensions` lists where it takes binary tensors. */
const BINARY_EXTENSION = 'binary_tensor_data'

const DATATYPES = { float32: 'FP32', int64: 'INT64' } as const
const BYTES = { FP32: 4, FP64: 8 } as const

const tensorFacts = z.looseObject({
  name: z.string(),
  datatype: z.string(),
  /** -1 where a size is free. */
  shape: z.array(z.int()).max(64).default([]),
})

/** The answer to GET /v2. */
export const serverFacts = z.looseObject({ extensions: z.array(z.string()).default([]) })

/** The answer to GET /v2/models/NAME. */
export const modelFacts = z.looseObject({
  inputs: z.array(tensorFacts).max(64),
  outputs: z.array(tensorFacts).max(64),
})

const MAX_DIMENSIONS = 8

type Numbers = readonly (number | Numbers)[]

/** Numbers nested by as many dimensions; not without end, because hostile nesting would exhaust the stack. */
const nested = (dimensions: number): z.ZodType<Numbers> =>
  z.array(dimensions === 1 ? z.number() : z.union([z.number(), nested(dimensions - 1)]))

const inferReply = z.looseObject({
  outputs: z
    .array(
      z.looseObject({
        name: z.string(),
        datatype: z.string(),
        shape: z.array(z.int().min(0)).max(MAX_DIMENSIONS),
        data: nested(MAX_DIMENSIONS).optional(),
        parameters: z.looseObject({ binary_data_size: z.int().min(0).optional() }).optional(),
      }),
    )
    .max(64),
})

/** An inference as it is posted: JSON, or JSON and raw tensors behind it, whose JSON length a header then states. */
export interface InferRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Whether a server that states this of itself takes binary tensors. */
export const takesBinary = ({ extensions }: z.infer<typeof serverFacts>): boolean =>
  extensions.includes(BINARY_EXTENSION)

/** @throws AttestdError manifest-invalid where the model takes or gives other tensors than the manifest names */
export function checkTensors(
  { inputs, outputs }: z.infer<typeof modelFacts>,
  named: { readonly input: readonly string[]; readonly output: string },
  { id, width }: { readonly id: string; readonly width: number | null },
): void {
  for (const name of named.input) requireTensor('input', name, inputs, ['FP32', 'INT64'], id)
  requireTensor('output', named.output, outputs, Object.keys(BYTES), id)
  requireWidth(outputs.find(({ name }) => name === named.output)?.shape, width, id)
}

/** The request for one inference. @param names of the inputs, in their order */
export function encodeRequest(
  names: readonly string[],
  inputs: readonly ModelInput[],
  output: string,
  binary: boolean,
): InferRequest {
  requireInputs(names, inputs)
  return binary ? encodeBinary(names, inputs, output) : encodeJson(names, inputs, output)
}

/**
 * The numbers of the named output.
 * @param jsonLength value of `JSON_LENGTH_HEADER`, null where the answer has none
 * @throws AttestdError detector-failed where the answer is not of the stated shape
 */
export function decodeReply(body: Buffer, jsonLength: string | null, output: string): Float32Array {
  const length = jsonLength === null ? body.length : Number(jsonLength)
  if (!Number.isInteger(length) || length < 0 || length > body.length)
    throw malformed('the length of its JSON is wrong')
  const { outputs } = parseReply(body.subarray(0, length))
  const values = valuesOf(outputs, body.subarray(length), output)
  return Float32Array.from(values)
}

function requireTensor(
  field: 'input' | 'output',
  name: string,
  tensors: readonly z.infer<typeof tensorFacts>[],
  datatypes: readonly string[],
  id: string,
): void {
  const found = tensors.find((tensor) => tensor.name === name)
  if (found && datatypes.includes(found.datatype)) return
  const has = found
    ? `is of type ${found.datatype}`
    : `is ${name}, but the model has ${tensors.map((one) => one.name).join(', ')}`
  throw manifestRefused(id, `runtime.${field}`, has)
}

function encodeJson(names: readonly string[], inputs: readonly ModelInput[], output: string): InferRequest {
  const tensors = inputs.map((input, index) => ({
    ...tensorHead(names[index] ?? '', input),
    data: plainNumbers(input),
  }))
  const body = Buffer.from(JSON.stringify({ inputs: tensors, outputs: [{ name: output }] }))
  return { headers: { 'content-type': 'application/json' }, body }
}

function encodeBinary(names: readonly string[], inputs: readonly ModelInput[], output: string): InferRequest {
  const raw = inputs.map(({ values }) => Buffer.from(values.buffer, values.byteOffset, values.byteLength))
  const tensors = inputs.map((input, index) => ({
    ...tensorHead(names[index] ?? '', input),
    parameters: { binary_data_size: raw[index]?.length },
  }))
  const wanted = [{ name: output, parameters: { binary_data: true } }]
  const json = Buffer.from(JSON.stringify({ inputs: tensors, outputs: wanted }))
  const headers = { 'content-type': 'application/octet-stream', [JSON_LENGTH_HEADER]: String(json.length) }
  return { headers, body: Buffer.concat([json, ...raw]) }
}

const tensorHead = (name: string, { type, shape }: ModelInput) => ({ name, datatype: DATATYPES[type], shape })

/** Every float32 has a decimal that is read back as itself; token ids are small. */
const plainNumbers = ({ type, values }: ModelInput): number[] =>
  type === 'float32' ? Array.from(values) : Array.from(values, Number)

function parseReply(json: Buffer): z.infer<typeof inferReply> {
  let read: unknown
  try {
    read = JSON.parse(json.toString('utf8'))
  } catch (error) {
    throw malformed('it is not JSON', error)
  }
  const parsed = inferReply.safeParse(read)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues.map((issue) => issue.path.join('.') || 'the top').slice(0, 3)
  throw malformed(`wrong at ${where.join(', ')}`)
}

type ReplyTensor = z.infer<typeof inferReply>['outputs'][number]

/** Binary tensors follow one another in the order of the outputs. */
function valuesOf(outputs: readonly ReplyTensor[], raw: Buffer, name: string): readonly number[] {
  let offset = 0
  for (const tensor of outputs) {
    const size = tensor.parameters?.binary_data_size ?? 0
    if (offset + size > raw.length) throw malformed('it ends within a tensor')
    if (tensor.name === name) return tensorValues(tensor, raw.subarray(offset, offset + size))
    offset += size
  }
  throw malformed(`it has no output ${name}`)
}

function tensorValues(tensor: ReplyTensor, raw: Buffer): readonly number[] {
  const { datatype, data, shape } = tensor
  if (datatype !== 'FP32' && datatype !== 'FP64') throw malformed(`its output is of type ${datatype}`)
  const values = data === undefined ? rawNumbers(raw, datatype) : flat(data)
  const stated = shape.reduce((product, side) => product * side, 1)
  if (values.length !== stated) throw malformed(`its output has ${values.length} numbers, its shape states ${stated}`)
  return values
}

function rawNumbers(raw: Buffer, datatype: keyof typeof BYTES): number[] {
  const count = raw.length / BYTES[datatype]
  if (!Number.isInteger(count)) throw malformed('its output ends within a number')
  return Array.from({ length: count }, (_, index) =>
    datatype === 'FP32' ? raw.readFloatLE(4 * index) : raw.readDoubleLE(8 * index),
  )
}

/** The protocol allows the numbers of a tensor nested by its dimensions as well as in one row. */
const flat = (data: Numbers): number[] => data.flatMap((one) => (typeof one === 'number' ? [one] : flat(one)))

const malformed = (how: string, cause?: unknown): AttestdError =>
  new AttestdError('detector-failed', `The model server returned a malformed answer: ${how}.`, { cause })

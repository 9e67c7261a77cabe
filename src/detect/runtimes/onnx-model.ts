import { promisify } from 'node:util'
import { constants, gunzip } from 'node:zlib'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { AttestdError, errorText } from '../../core/errors.js'
import type { Reason } from '../../core/reasons.js'
import type { FloatInput, ModelInput } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import type { OnnxTensor, OnnxTensors } from '../contract/network.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { readPackageFile } from '../package/read-package-file.js'
import type { OnnxRuntime } from '../package/runtime.js'
import { outputWidth } from '../scoring/aggregation.js'
import { fromHalves, toHalves } from './half-floats.js'
import { requireInputs, requireWidth } from './model-shape.js'

/**
 * One thread and no reordering: the same input gives the same bits, whatever else runs on the machine. Memory patterns are
 * kept for each shape of the input, which differs from picture to picture; without the arena five crops take twice as long.
 */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  enableMemPattern: false,
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
}

/** End of the name of a model that is kept as gzip packs it. */
const PACKED = '.gz'
/** Twice as much, the network and what is unpacked, fits into a detector process of the usual size while it loads. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024
/** How the runtime, whose errors have no code, words that it got no memory. */
const NO_MEMORY = /bad_alloc|bad allocation|allocat\w+ (?:failed|memory)|failed to allocate/i

/** An ONNX file of a package, loaded. */
export interface Network {
  readonly session: InferenceSession
  readonly file: string
  /** Id of the package. */
  readonly of: string
}

/** What the weights in a file take and give. @param file absolute path; they may refer to others in its folder */
export async function tensorsOf(file: string): Promise<OnnxTensors> {
  const { inputMetadata, outputMetadata } = await InferenceSession.create(file, { logSeverityLevel: 3 })
  return { inputs: inputMetadata.map(factsOf), outputs: outputMetadata.map(factsOf) }
}

function factsOf(value: InferenceSession.ValueMetadata): OnnxTensor {
  if (!value.isTensor) return { name: value.name, type: null, shape: [] }
  const shape = value.shape.map((size) => (typeof size === 'number' && size > 0 ? size : null))
  return { name: value.name, type: value.type, shape }
}

/** Loads the network of a package's runtime. @throws model-digest-mismatch, manifest-invalid (no model, other names) */
export async function loadOnnxModel(pack: DetectorPackage, runtime: OnnxRuntime): Promise<Model> {
  const { model, data, input, output } = runtime
  const network = await loadNetwork(pack, model, data)
  const loaded = modelOf(network, input, output)
  const facts = network.session.outputMetadata.find(({ name }) => name === output)
  requireWidth(facts?.isTensor ? facts.shape : [], outputWidth(pack.manifest), network.of)
  return loaded
}

/**
 * A network as a model that takes `input` and gives one of its outputs.
 * @param field of the runtime that names the output
 * @throws AttestdError manifest-invalid (other input and output names)
 */
export function modelOf(
  network: Network,
  input: readonly string[],
  output: string,
  field: 'output' | 'features' = 'output',
): Model {
  requireNames(network, 'takes', input, 'runtime.input')
  requireNames(network, 'gives', [output], `runtime.${field}`)
  return {
    async run(inputs) {
      const [result] = await runNetwork(network, named(input, inputs), [output])
      return (result as FloatInput).values
    },
  }
}

/** Checks a network's inputs (`takes`) or outputs (`gives`). @param field of the manifest @throws manifest-invalid */
export function requireNames(
  { session, file, of }: Network,
  verb: 'takes' | 'gives',
  names: readonly string[],
  field: string,
): void {
  const has = verb === 'takes' ? session.inputNames : session.outputNames
  const missing = names.find((name) => !has.includes(name))
  if (missing !== undefined) throw manifestRefused(of, field, `${file} ${verb} no ${missing}, but ${has.join(', ')}`)
}

/** Packed networks, which are large, of this process by the sha256 of their file: packages that share an encoder hold it once. */
const packed = new Map<string, Promise<InferenceSession>>()

/**
 * Loads an ONNX file of a package; one whose name ends in .gz is unpacked first.
 * @param data file of the package with weights that lie outside the ONNX file, which refers to it by this name
 * @throws AttestdError model-digest-mismatch, manifest-invalid (not packed as its name states, unpacks to too much, not a model), detector-out-of-memory
 */
export async function loadNetwork(pack: DetectorPackage, file: string, data?: string): Promise<Network> {
  const bytes = await readPackageFile(pack, file)
  const { id: of, files } = pack.manifest
  if (!file.endsWith(PACKED)) {
    const externalData = data === undefined ? [] : [{ path: data, data: await readPackageFile(pack, data) }]
    return { session: await createSession(bytes, file, of, externalData), file, of }
  }
  const digest = files[file]?.sha256 ?? ''
  const creating = packed.get(digest) ?? unpacked(bytes, file, of).then((model) => createSession(model, file, of))
  packed.set(digest, creating)
  return { session: await creating, file, of }
}

async function unpacked(bytes: Buffer, file: string, of: string): Promise<Uint8Array> {
  const refused = (why: string, cause?: unknown) =>
    new AttestdError('manifest-invalid', `${file} of ${of} cannot be unpacked: ${why}`, { cause })
  // The last four bytes state the length. In one piece, since pieces are held twice when they are joined; with room for one
  // byte more, since a full piece begins another.
  const stated = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4)
  if (stated > MAX_UNPACKED_BYTES) throw refused(`it has ${stated} bytes, more than ${MAX_UNPACKED_BYTES}`)
  const chunkSize = Math.max(constants.Z_DEFAULT_CHUNK, stated + 1)
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, chunkSize })
  } catch (error) {
    throw refused(errorText(error), error)
  }
}

async function createSession(
  bytes: Uint8Array,
  file: string,
  of: string,
  externalData: InferenceSession.SessionOptions['externalData'] = [],
): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(bytes, { ...SESSION_OPTIONS, externalData })
  } catch (error) {
    throw failure('manifest-invalid', `${file} of ${of} cannot be loaded`, error)
  }
}

/** The error of the runtime with a reason, which is another one where the kernel refused it memory. */
function failure(reason: Reason, what: string, cause: unknown): AttestdError {
  const why = errorText(cause)
  return new AttestdError(NO_MEMORY.test(why) ? 'detector-out-of-memory' : reason, `${what}: ${why}`, { cause })
}

/** Inputs by the names that a model gives them. @throws AttestdError detector-failed where there are more or fewer */
export function named(names: readonly string[], inputs: readonly ModelInput[]): Record<string, ModelInput> {
  requireInputs(names, inputs)
  return Object.fromEntries(names.map((name, index) => [name, inputs[index] as ModelInput]))
}

/** Runs a network on inputs by name. @returns its outputs, in their order @throws AttestdError detector-failed */
export async function runNetwork(
  { session, file, of }: Network,
  inputs: Readonly<Record<string, ModelInput>>,
  outputs: readonly string[],
): Promise<FloatInput[]> {
  const types = new Map(session.inputMetadata.map((each) => [each.name, each.isTensor ? each.type : undefined]))
  const feeds = Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, tensorOf(input, types.get(name))]),
  )
  let results: InferenceSession.OnnxValueMapType
  try {
    results = await session.run(feeds, outputs)
  } catch (error) {
    throw failure('detector-failed', `${file} of ${of} failed`, error)
  }
  return outputs.map((name) => {
    const { data, dims, type } = results[name] as Tensor
    if (data instanceof Float32Array) return { type: 'float32', values: data, shape: dims }
    if (type === 'float16') return { type: 'float32', values: fromHalves(halvesIn(data)), shape: dims }
    throw new AttestdError('detector-failed', `${file} of ${of} returned ${type}, not floats of 32 or 16 bits.`)
  })
}

/** The bits of halves, which newer versions of Node hold as numbers. */
function halvesIn(data: Tensor['data']): Uint16Array {
  const { buffer, byteOffset, length } = data as Uint16Array
  return new Uint16Array(buffer, byteOffset, length)
}

/**
 * Halves by their bits. Where Node has a Float16Array, a tensor made as one of halves holds that, and onnxruntime-node 1.30 takes
 * it for empty (microsoft/onnxruntime#32323).
 */
function halfTensor(halves: Uint16Array, shape: readonly number[]): Tensor {
  return Object.assign(new Tensor('uint16', halves, shape), { type: 'float16' } as object)
}

/** An input in the type of numbers that the network takes. */
function tensorOf({ type, values, shape }: ModelInput, wanted: Tensor.Type | undefined): Tensor {
  if (type === 'int64')
    return wanted === 'int32'
      ? new Tensor('int32', Int32Array.from(values, Number), shape)
      : new Tensor('int64', values, shape)
  if (wanted === 'float16') return halfTensor(toHalves(values), shape)
  // Rounded, and kept between 0 and 255.
  if (wanted === 'uint8') return new Tensor('uint8', new Uint8Array(Uint8ClampedArray.from(values).buffer), shape)
  return new Tensor('float32', values, shape)
}

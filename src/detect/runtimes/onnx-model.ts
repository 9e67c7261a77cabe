import { promisify } from 'node:util'
import { constants, gunzip } from 'node:zlib'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { AttestdError, errorText } from '../../core/errors.js'
import type { FloatInput, ModelInput } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { readPackageFile } from '../package/read-package-file.js'
import type { OnnxRuntime } from '../package/runtime.js'

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
/** A network that is larger does not fit into a detector process. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024

/**
 * Loads the network that a package's runtime names.
 * @throws AttestdError model-digest-mismatch, manifest-invalid (not a model, or other input and output names)
 */
export async function loadOnnxModel(pack: DetectorPackage, runtime: OnnxRuntime): Promise<Model> {
  const { model, input, output } = runtime
  return modelOf(await loadOnnxSession(pack, model), pack, input, output)
}

/**
 * A session as a model that takes `input` and gives one of its outputs.
 * @throws AttestdError manifest-invalid (other input and output names)
 */
export function modelOf(
  session: InferenceSession,
  pack: DetectorPackage,
  input: readonly string[],
  output: string,
): Model {
  for (const name of input) requireName('input', name, session.inputNames, pack.manifest.id)
  requireName('output', output, session.outputNames, pack.manifest.id)
  return {
    async run(inputs) {
      const [result] = await runSession(session, named(input, inputs), [output])
      return (result as FloatInput).values
    },
  }
}

/**
 * Loads an ONNX file of a package; one whose name ends in .gz is unpacked first.
 * @throws AttestdError model-digest-mismatch, manifest-invalid (not packed as its name says, not a model)
 */
export async function loadOnnxSession(pack: DetectorPackage, model: string): Promise<InferenceSession> {
  const bytes = await readPackageFile(pack, model)
  return createSession(model.endsWith(PACKED) ? await unpacked(bytes, pack, model) : bytes, pack.manifest.id)
}

async function unpacked(bytes: Buffer, { manifest: { id } }: DetectorPackage, model: string): Promise<Uint8Array> {
  // The last four bytes state the length. In one piece, since pieces are held twice when they are joined; with room for one
  // byte more, since a full piece begins another.
  const stated = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4)
  const chunkSize = Math.max(constants.Z_DEFAULT_CHUNK, Math.min(stated + 1, MAX_UNPACKED_BYTES))
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES, chunkSize })
  } catch (error) {
    throw new AttestdError('manifest-invalid', `${model} of ${id} cannot be unpacked: ${errorText(error)}`, {
      cause: error,
    })
  }
}

async function createSession(bytes: Uint8Array, id: string): Promise<InferenceSession> {
  try {
    return await InferenceSession.create(bytes, SESSION_OPTIONS)
  } catch (error) {
    throw new AttestdError('manifest-invalid', `The model of ${id} cannot be loaded: ${errorText(error)}`, {
      cause: error,
    })
  }
}

function requireName(field: 'input' | 'output', name: string, names: readonly string[], id: string): void {
  if (names.includes(name)) return
  throw manifestRefused(id, `runtime.${field}`, `is ${name}, but the model has ${names.join(', ')}`)
}

/** Inputs by the names that a model gives them. @throws AttestdError detector-failed where there are more or fewer */
export function named(names: readonly string[], inputs: readonly ModelInput[]): Record<string, ModelInput> {
  if (names.length !== inputs.length) {
    throw new AttestdError(
      'detector-failed',
      `The model takes ${names.length} inputs, the media provides ${inputs.length}.`,
    )
  }
  return Object.fromEntries(names.map((name, index) => [name, inputs[index] as ModelInput]))
}

/**
 * Runs a session on inputs by name.
 * @param what it is, as an error names it
 * @returns the outputs, in the order of `outputs`
 * @throws AttestdError detector-failed
 */
export async function runSession(
  session: InferenceSession,
  inputs: Readonly<Record<string, ModelInput>>,
  outputs: readonly string[],
  what = 'The model',
): Promise<FloatInput[]> {
  const feeds = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, tensorOf(input)]))
  let results: InferenceSession.OnnxValueMapType
  try {
    results = await session.run(feeds, outputs)
  } catch (error) {
    throw new AttestdError('detector-failed', `${what} failed: ${errorText(error)}`, { cause: error })
  }
  return outputs.map((name) => floatsOf(results[name], what))
}

function tensorOf(input: ModelInput): Tensor {
  return input.type === 'float32'
    ? new Tensor('float32', input.values, input.shape)
    : new Tensor('int64', input.values, input.shape)
}

function floatsOf(result: Tensor | undefined, what: string): FloatInput {
  const values: unknown = result?.data
  if (values instanceof Float32Array) return { type: 'float32', values, shape: result?.dims ?? [] }
  throw new AttestdError('detector-failed', `${what} did not return 32-bit floats.`)
}

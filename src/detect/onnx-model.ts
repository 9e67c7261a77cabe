import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { AttestdError, errorText } from '../core/errors.js'
import type { DetectorPackage } from './package-loader.js'

/** One thread and no reordering: the same input gives the same bits, whatever else runs on the machine. */
const SESSION_OPTIONS: InferenceSession.SessionOptions = {
  executionProviders: ['cpu'],
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
  logSeverityLevel: 3,
}

/** A loaded network with one input and one number as output. */
export interface OnnxModel {
  /** @throws AttestdError detector-failed */
  run(values: Float32Array, shape: readonly number[]): Promise<number>
}

/**
 * Loads the ONNX file of a package, after checking once more that it has the stated digest: a child may start hours
 * after the package was verified.
 * @throws AttestdError model-digest-mismatch, manifest-invalid (not a model, or other input and output names)
 */
export async function loadOnnxModel({ folder, manifest }: DetectorPackage): Promise<OnnxModel> {
  const { model, input, output } = manifest.runtime
  const bytes = await fs.readFile(path.join(folder, model))
  if (createHash('sha256').update(bytes).digest('hex') !== manifest.files[model]?.sha256) {
    throw new AttestdError(
      'model-digest-mismatch',
      `${path.join(folder, model)} changed since the package was verified.`,
    )
  }
  const session = await createSession(bytes, manifest.id)
  requireName('input', input, session.inputNames, manifest.id)
  requireName('output', output, session.outputNames, manifest.id)
  return {
    run: async (values, shape) =>
      scalarOf(await runSession(session, input, output, new Tensor('float32', values, shape))),
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
  throw new AttestdError(
    'manifest-invalid',
    `The manifest of ${id} is not accepted:\n  runtime.${field}: is ${name}, but the model has ${names.join(', ')}`,
  )
}

async function runSession(session: InferenceSession, input: string, output: string, tensor: Tensor): Promise<unknown> {
  try {
    const results = await session.run({ [input]: tensor }, [output])
    return results[output]?.data
  } catch (error) {
    throw new AttestdError('detector-failed', `The model gave an error: ${errorText(error)}`, { cause: error })
  }
}

function scalarOf(data: unknown): number {
  if (data instanceof Float32Array && data.length === 1) return data[0] as number
  throw new AttestdError('detector-failed', 'The model did not give one 32-bit float.')
}

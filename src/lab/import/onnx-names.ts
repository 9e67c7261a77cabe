import path from 'node:path'
import { toAttestdError } from '../../core/errors.js'
import type { OnnxTensors } from '../../detect/contract/network.js'
import { DetectorProcess } from '../../detect/host/detector-process.js'
import type { Measuring } from '../measure/measure-sample.js'
import { SERVE_IT, unsupported } from './import-error.js'

/** Opens weights in a detector process and states what they take and give. @throws AttestdError import-unsupported, and why none starts */
export async function onnxNames(model: string, { signal, ...options }: Measuring): Promise<OnnxTensors> {
  // In a cage it could not read the data files that some weights refer to.
  const child = await DetectorProcess.start({ ...options, cage: null, packages: [] }, signal)
  try {
    return await child.open(path.resolve(model))
  } catch (error) {
    const { message } = toAttestdError(error)
    throw unsupported(
      `${model} is not a network that runs here: ${message}`,
      `If the file is complete: ${SERVE_IT}`,
      error,
    )
  } finally {
    await child.kill('closed')
  }
}

import { InferenceSession } from 'onnxruntime-node'
import { errorText } from '../../core/errors.js'
import { type FromOnnxChild, type OnnxTensor, toOnnxChildSchema } from './onnx-messages.js'

// Entry of the process that opens foreign weights to see what they take and give.

async function look(model: string): Promise<FromOnnxChild> {
  try {
    const { inputMetadata, outputMetadata } = await InferenceSession.create(model, { logSeverityLevel: 3 })
    return { inputs: inputMetadata.map(tensorOf), outputs: outputMetadata.map(tensorOf) }
  } catch (error) {
    return { failed: errorText(error).slice(0, 500) }
  }
}

function tensorOf(value: InferenceSession.ValueMetadata): OnnxTensor {
  if (!value.isTensor) return { name: value.name, type: null, shape: [] }
  const shape = value.shape.map((size) => (typeof size === 'number' && size > 0 ? size : null))
  return { name: value.name, type: value.type, shape }
}

process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.on('message', (raw) => {
  void look(toOnnxChildSchema.parse(raw).model).then((answer) => process.send?.(answer))
})

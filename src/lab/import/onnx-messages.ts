import { z } from 'zod'

const name = z.string().max(200)
const tensor = z.strictObject({
  name,
  /** Of ONNX, such as `float32` or `int64`; null for what is no tensor. */
  type: z.string().max(40).nullable(),
  /** Fixed sizes; null where a size is free. */
  shape: z.array(z.number().nullable()).max(16),
})

/** What the parent sends: a file of weights. */
export const toOnnxChildSchema = z.strictObject({ model: z.string() })

/** What comes back: the inputs and outputs of the network, or why it cannot be loaded. */
export const fromOnnxChildSchema = z.union([
  z.strictObject({ inputs: z.array(tensor).max(64), outputs: z.array(tensor).max(64) }),
  z.strictObject({ failed: z.string().max(500) }),
])

export type FromOnnxChild = z.infer<typeof fromOnnxChildSchema>
export type OnnxTensor = z.infer<typeof tensor>

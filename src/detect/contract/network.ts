import { z } from 'zod'

const tensor = z.strictObject({
  name: z.string().max(200),
  /** Of ONNX, such as `float32` or `int64`; null for what is no tensor. */
  type: z.string().max(40).nullable(),
  /** Fixed sizes; null where a size is free. */
  shape: z.array(z.number().nullable()).max(16),
})

/** What a network takes and gives, in its order. */
export const tensorsSchema = z.strictObject({ inputs: z.array(tensor).max(64), outputs: z.array(tensor).max(64) })

/** An input or output of a network. */
export type OnnxTensor = z.infer<typeof tensor>
export type OnnxTensors = z.infer<typeof tensorsSchema>

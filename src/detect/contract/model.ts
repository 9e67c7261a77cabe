import type { ModelInput } from './medium-reader.js'

/** A loaded model: one call scores one part. */
export interface Model {
  /** @param inputs in the order of `runtime.input` @returns the values of the one output @throws detector-failed */
  run(inputs: readonly ModelInput[]): Promise<Float32Array>
}

import type { FloatInput } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxEncodedRuntime } from '../package/runtime.js'
import { loadNetwork, named, requireNames, runNetwork } from './onnx-model.js'

/** What the view draws for the encoder, and what the model takes of its answer. */
const PIXELS = 'pixels'
const FEATURES = 'features'

/**
 * Loads the two networks of a package that judges by what the encoder of another package sees. The first, the view, draws
 * `pixels` of the input; the second takes the encoder's description of these, `features`, and by their names further outputs of
 * the view.
 * @param encoder of the package that the runtime names
 * @throws AttestdError model-digest-mismatch, manifest-invalid (not a model, or other inputs and outputs)
 */
export async function loadEncodedModel(
  pack: DetectorPackage,
  runtime: OnnxEncodedRuntime,
  encoder: Model,
): Promise<Model> {
  const { input, output } = runtime
  const [view, model] = await Promise.all([loadNetwork(pack, runtime.view), loadNetwork(pack, runtime.model)])
  const others = model.session.inputNames.filter((name) => name !== FEATURES)
  requireNames(model, 'takes', [FEATURES], 'runtime.model')
  requireNames(model, 'gives', [output], 'runtime.output')
  requireNames(view, 'takes', input, 'runtime.input')
  requireNames(view, 'gives', [PIXELS, ...others], 'runtime.view')
  return {
    async run(inputs) {
      const [pixels, ...rest] = await runNetwork(view, named(input, inputs), [PIXELS, ...others])
      const values = await encoder.run([pixels as FloatInput])
      const features: FloatInput = { type: 'float32', values, shape: [1, values.length] }
      const [result] = await runNetwork(model, named([FEATURES, ...others], [features, ...rest]), [output])
      return (result as FloatInput).values
    },
  }
}

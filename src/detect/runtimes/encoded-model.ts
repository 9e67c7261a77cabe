import type { FloatInput } from '../contract/medium-reader.js'
import type { Model } from '../contract/model.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxEncodedRuntime } from '../package/runtime.js'
import { loadOnnxSession, named, runSession } from './onnx-model.js'

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
  const [view, model] = await Promise.all([loadOnnxSession(pack, runtime.view), loadOnnxSession(pack, runtime.model)])
  const others = model.inputNames.filter((name) => name !== FEATURES)
  const refuse = (
    field: 'view' | 'model',
    verb: 'takes' | 'gives',
    wanted: readonly string[],
    has: readonly string[],
  ) => {
    const missing = wanted.find((name) => !has.includes(name))
    if (missing === undefined) return
    const why = `${runtime[field]} ${verb} no ${missing}, but ${has.join(', ')}`
    throw manifestRefused(pack.manifest.id, `runtime.${field}`, why)
  }
  refuse('model', 'takes', [FEATURES], model.inputNames)
  refuse('model', 'gives', [output], model.outputNames)
  refuse('view', 'takes', input, view.inputNames)
  refuse('view', 'gives', [PIXELS, ...others], view.outputNames)
  return {
    async run(inputs) {
      const [pixels, ...rest] = await runSession(view, named(input, inputs), [PIXELS, ...others])
      const values = await encoder.run([pixels as FloatInput])
      const features: FloatInput = { type: 'float32', values, shape: [1, values.length] }
      const [result] = await runSession(model, named([FEATURES, ...others], [features, ...rest]), [output])
      return (result as FloatInput).values
    },
  }
}

import { AttestdError } from '../../core/errors.js'
import type { ImageNormalization } from '../package/image-plan.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxViewsRuntime } from '../package/runtime.js'
import type { Model } from '../runtimes/model.js'
import { loadOnnxModel } from '../runtimes/onnx-model.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { type Cut, imageTensor } from './image-tensor.js'

/** The logits of cuts of one size, in their order, by one run of a network. @throws AttestdError detector-failed */
export type CutScorer = (cuts: readonly Cut[]) => Promise<number[]>

/** The networks of a package for several views. */
export interface ViewNetworks {
  readonly native: CutScorer
  readonly whole: CutScorer
  /** Null where the package has no plan for faces. */
  readonly face: CutScorer | null
}

/**
 * Loads the networks, a file that serves two views once.
 * @throws AttestdError model-digest-mismatch, manifest-invalid
 */
export async function loadViewNetworks(
  pack: DetectorPackage,
  { native, whole, face, input, output }: OnnxViewsRuntime,
  normalize: ImageNormalization,
): Promise<ViewNetworks> {
  const models = new Map<string, Model>()
  for (const model of new Set([native, whole, ...(face === undefined ? [] : [face])]))
    models.set(model, await loadOnnxModel(pack, { kind: 'onnx', model, input: [input], output }))
  const scorer = (model: string): CutScorer => {
    const network = models.get(model) as Model
    return async (cuts) => {
      const logits = await network.run([imageTensor(cuts, normalize)])
      if (logits.length !== cuts.length)
        throw new AttestdError('detector-failed', `The model gave ${logits.length} numbers for ${cuts.length} cuts.`)
      return [...logits].map((logit) => outputAsLogit([logit], pack.manifest))
    }
  }
  return { native: scorer(native), whole: scorer(whole), face: face === undefined ? null : scorer(face) }
}

import type { Model } from '../contract/model.js'
import type { ImageNormalization } from '../package/image-plan.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxViewsRuntime } from '../package/runtime.js'
import { loadFeatureHead } from '../runtimes/feature-head.js'
import { loadNetwork, modelOf, type Network } from '../runtimes/onnx-model.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { type Cut, imageTensor } from './image-tensor.js'

/**
 * The logit of a cut. Each by its own run: on one thread that takes as long as a batch (16.4 and 16.9 ms for five cuts of 224 px
 * by a third of MobileNetV2, onnxruntime 1.30), needs 30 to 60 MB less, and the bits of a cut do not hang on its neighbors.
 * @throws AttestdError detector-failed
 */
export type CutScorer = (cut: Cut) => Promise<number>

/** The networks of a package for several views. */
export interface ViewNetworks {
  /** By the head of the package where it has one. */
  readonly whole: CutScorer
  /** Null where the package has no plan for faces. */
  readonly face: CutScorer | null
  /** What the network for the whole gives in addition to its logit; undefined where the runtime names no such output. */
  readonly encoder: Model | undefined
}

/** Loads the networks. @throws AttestdError model-digest-mismatch, manifest-invalid */
export async function loadViewNetworks(
  pack: DetectorPackage,
  { whole, head, face, input, output, features }: OnnxViewsRuntime,
  normalize: ImageNormalization,
): Promise<ViewNetworks> {
  const scorer = (network: Network): CutScorer => {
    const judge = modelOf(network, [input], output)
    return async (cut) => outputAsLogit(await judge.run([imageTensor(cut, normalize)]), pack.manifest)
  }
  const network = await loadNetwork(pack, whole)
  const encoder = features === undefined ? undefined : modelOf(network, [input], features, 'features')
  const judged = head === undefined || encoder === undefined ? null : await loadFeatureHead(pack, head)
  return {
    whole:
      judged === null || encoder === undefined
        ? scorer(network)
        : async (cut) => judged([await encoder.run([imageTensor(cut, normalize)])]),
    face: face === undefined ? null : scorer(await loadNetwork(pack, face)),
    encoder,
  }
}

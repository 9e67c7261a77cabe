import type { Model } from '../contract/model.js'
import type { ImageNormalization } from '../package/image-plan.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxViewsRuntime } from '../package/runtime.js'
import { loadFeatureHead } from '../runtimes/feature-head.js'
import { loadNetwork, modelOf, type Network } from '../runtimes/onnx-model.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { type Cut, imageTensor } from './image-tensor.js'

/**
 * The logits of cuts, in their order. Each by its own run: on one thread that takes as long as a batch (16.4 and
 * 16.9 ms for five crops of 224 px by a third of MobileNetV2, onnxruntime 1.30), needs 30 to 60 MB less, and the bits of
 * a cut do not hang on its neighbors.
 * @throws AttestdError detector-failed
 */
export type CutScorer = (cuts: readonly Cut[]) => Promise<number[]>

/** The networks of a package for several views. */
export interface ViewNetworks {
  /** By the head of the package where it has one. */
  readonly whole: CutScorer
  /** Null where the package has no plan for native crops. */
  readonly native: CutScorer | null
  /** Null where the package has no plan for faces. */
  readonly face: CutScorer | null
  /** What the network for the whole gives in addition to its logit; undefined where the runtime names no such output. */
  readonly encoder: Model | undefined
}

/** Loads the networks, one file of two views once. @throws AttestdError model-digest-mismatch, manifest-invalid */
export async function loadViewNetworks(
  pack: DetectorPackage,
  { native, whole, head, face, input, output, features }: OnnxViewsRuntime,
  normalize: ImageNormalization,
): Promise<ViewNetworks> {
  const networks = new Map<string, Network>()
  for (const file of new Set([whole, native, face].filter((file) => file !== undefined)))
    networks.set(file, await loadNetwork(pack, file))
  const network = (file: string) => networks.get(file) as Network
  const oneByOne =
    (logitOf: (cut: Cut) => Promise<number>): CutScorer =>
    async (cuts) => {
      const logits: number[] = []
      for (const cut of cuts) logits.push(await logitOf(cut))
      return logits
    }
  const scorer = (file: string): CutScorer => {
    const judge = modelOf(network(file), [input], output)
    return oneByOne(async (cut) => outputAsLogit(await judge.run([imageTensor(cut, normalize)]), pack.manifest))
  }
  const scorerOf = (file: string | undefined) => (file === undefined ? null : scorer(file))
  const encoder = features === undefined ? undefined : modelOf(network(whole), [input], features, 'features')
  const judged = head === undefined || encoder === undefined ? null : await loadFeatureHead(pack, head)
  const ofWhole =
    judged === null || encoder === undefined
      ? scorer(whole)
      : oneByOne(async (cut) => judged([await encoder.run([imageTensor(cut, normalize)])]))
  return { whole: ofWhole, native: scorerOf(native), face: scorerOf(face), encoder }
}

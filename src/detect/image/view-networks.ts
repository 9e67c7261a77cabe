import type { InferenceSession } from 'onnxruntime-node'
import type { Model } from '../contract/model.js'
import type { ImageNormalization } from '../package/image-plan.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { OnnxViewsRuntime } from '../package/runtime.js'
import { loadOnnxSession, modelOf } from '../runtimes/onnx-model.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { type Cut, imageTensor } from './image-tensor.js'

/**
 * The logits of cuts, in their order. Each by a run of its own: on one thread that takes as long as a batch (16.4 and
 * 16.9 ms for five crops of 224 px by a third of MobileNetV2, onnxruntime 1.30), needs 30 to 60 MB less, and the bits of
 * a cut do not hang on its neighbors.
 * @throws AttestdError detector-failed
 */
export type CutScorer = (cuts: readonly Cut[]) => Promise<number[]>

/** The networks of a package for several views. */
export interface ViewNetworks {
  readonly whole: CutScorer
  /** Null where the package has no plan for native crops. */
  readonly native: CutScorer | null
  /** Null where the package has no plan for faces. */
  readonly face: CutScorer | null
  /** What the network for the whole gives beside its logit; undefined where the runtime names no such output. */
  readonly encoder: Model | undefined
}

/**
 * Loads the networks, a file that serves two views once.
 * @throws AttestdError model-digest-mismatch, manifest-invalid
 */
export async function loadViewNetworks(
  pack: DetectorPackage,
  { native, whole, face, input, output, features }: OnnxViewsRuntime,
  normalize: ImageNormalization,
): Promise<ViewNetworks> {
  const sessions = new Map<string, InferenceSession>()
  for (const model of new Set([whole, native, face].filter((file) => file !== undefined)))
    sessions.set(model, await loadOnnxSession(pack, model))
  const network = (model: string, gives: string) =>
    modelOf(sessions.get(model) as InferenceSession, pack, [input], gives)
  const scorer = (model: string): CutScorer => {
    const judge = network(model, output)
    return async (cuts) => {
      const logits: number[] = []
      for (const cut of cuts) logits.push(outputAsLogit(await judge.run([imageTensor(cut, normalize)]), pack.manifest))
      return logits
    }
  }
  const scorerOf = (model: string | undefined) => (model === undefined ? null : scorer(model))
  const encoder = features === undefined ? undefined : network(whole, features)
  return { whole: scorer(whole), native: scorerOf(native), face: scorerOf(face), encoder }
}

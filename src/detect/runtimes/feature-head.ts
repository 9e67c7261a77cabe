import type { DetectorPackage } from '../package/package-loader.js'
import { outputAsLogit } from '../scoring/aggregation.js'
import { loadNetwork, requireNames, runNetwork } from './onnx-model.js'

/** The logit for the features of one or more pictures, in their order. @throws AttestdError detector-failed */
export type FeatureHead = (pictures: readonly Float32Array[]) => Promise<number>

const [INPUT, OUTPUT] = ['features', 'logit']

/**
 * Loads what a package fitted over an encoder: the network that `runtime.head` names, from `features` [pictures, n] to `logit` [1].
 * @throws AttestdError model-digest-mismatch, manifest-invalid
 */
export async function loadFeatureHead(pack: DetectorPackage, file: string): Promise<FeatureHead> {
  const network = await loadNetwork(pack, file)
  requireNames(network, 'takes', [INPUT], 'runtime.head')
  requireNames(network, 'gives', [OUTPUT], 'runtime.head')
  return async (pictures) => {
    const width = pictures[0]?.length ?? 0
    const values = new Float32Array(pictures.length * width)
    for (const [index, features] of pictures.entries()) values.set(features, index * width)
    const features = { type: 'float32' as const, values, shape: [pictures.length, width] }
    const [logit] = await runNetwork(network, { [INPUT]: features }, [OUTPUT])
    return outputAsLogit(logit?.values ?? [], pack.manifest)
  }
}

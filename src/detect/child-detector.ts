import { aggregateLogits, outputAsLogit } from './aggregation.js'
import { cropImage } from './image-crops.js'
import { type DecodedImage, type DecodeLimits, decodeImage } from './image-decode.js'
import { loadOnnxModel, type OnnxModel } from './onnx-model.js'
import type { DetectorPackage } from './package-loader.js'

/** What a detector measured, before calibration. */
export interface Measurement {
  /** Aggregated logit. */
  readonly rawScore: number
  /** One line: what was seen. */
  readonly notes: string
  readonly elapsedMs: { readonly decode: number; readonly infer: number }
}

/** A detector inside a child process. */
export interface ChildDetector {
  /** @throws AttestdError media-*, detector-failed */
  measure(file: string): Promise<Measurement>
}

/** Loads a package into this process; further kinds of preprocessing and runtime are chosen here. */
export async function loadChildDetector(pack: DetectorPackage, limits: DecodeLimits): Promise<ChildDetector> {
  const model = await loadOnnxModel(pack)
  return { measure: (file) => measureImage(file, pack, model, limits) }
}

async function measureImage(
  file: string,
  { manifest }: DetectorPackage,
  model: OnnxModel,
  limits: DecodeLimits,
): Promise<Measurement> {
  const started = performance.now()
  const image = await decodeImage(file, limits)
  const crops = await cropImage(image, manifest.preprocessing)
  const decoded = performance.now()
  const { size } = manifest.preprocessing.crops
  const logits: number[] = []
  // One by one: in a batch the sums of some kernels are ordered otherwise and the last bits change.
  for (const crop of crops)
    logits.push(outputAsLogit(await model.run(crop.values, [1, 3, size, size]), manifest.outputKind))
  return {
    rawScore: aggregateLogits(logits, manifest.aggregation),
    notes: `${describe(image)}; ${describeCrops(crops, logits)}`,
    elapsedMs: { decode: decoded - started, infer: performance.now() - decoded },
  }
}

function describe({ format, width, height, frames }: DecodedImage): string {
  const name = format === 'heif' ? 'avif' : format
  return `${name} ${width}x${height}${frames > 1 ? `, first of ${frames} frames` : ''}`
}

function describeCrops(crops: readonly { readonly name: string }[], logits: readonly number[]): string {
  const worst = logits.indexOf(Math.max(...logits))
  const range = `logit ${Math.min(...logits).toFixed(2)} to ${Math.max(...logits).toFixed(2)}`
  return crops.length === 1 ? `1 crop, ${range}` : `${crops.length} crops, ${range}, highest ${crops[worst]?.name}`
}

import type { AudioPreprocessing } from '../package/preprocessing.js'

/** Keeps silence from being divided by nothing; of Wav2Vec2FeatureExtractor. */
const VARIANCE_MARGIN = 1e-7

/** Samples as the plan wants them leveled: as they are, or with a mean of 0 and a variance of 1. */
export function leveled(samples: Float32Array, { normalize }: Pick<AudioPreprocessing, 'normalize'>): Float32Array {
  if (normalize === 'none') return samples
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
  const variance = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / samples.length
  const scale = 1 / Math.sqrt(variance + VARIANCE_MARGIN)
  return samples.map((value) => (value - mean) * scale)
}

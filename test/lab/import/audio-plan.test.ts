import { describe, expect, it } from 'vitest'
import { audioPlan } from '../../../src/lab/import/audio-plan.js'

describe('the plan of an audio export', () => {
  it('without its configuration, or of spectrograms, is refused', () => {
    expect(() => audioPlan(null, null)).toThrow(/preprocessor_config/)
    const spectrogram = { feature_extractor_type: 'ASTFeatureExtractor', sampling_rate: 16_000 }
    expect(() => audioPlan(spectrogram, null)).toThrow(/takes the output of ASTFeatureExtractor/)
  })
})

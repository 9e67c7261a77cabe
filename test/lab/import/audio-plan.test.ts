import { describe, expect, it } from 'vitest'
import { audioPlan } from '../../../src/lab/import/audio-plan.js'

describe('the plan of an audio export', () => {
  it('without its configuration, or of spectrograms, is refused', () => {
    expect(() => audioPlan(null, null, null)).toThrow(/preprocessor_config/)
    const spectrogram = { feature_extractor_type: 'ASTFeatureExtractor', sampling_rate: 16_000 }
    expect(() => audioPlan(spectrogram, null, null)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/takes the output of ASTFeatureExtractor; only models of the raw waveform/),
        fix: expect.stringContaining('remote-file'),
      }),
    )
  })

  it('takes a recording at its own length, without a search for speech, which the card states', () => {
    const { preprocessing, guesses } = audioPlan({ sampling_rate: 16_000 }, null, null)
    expect(preprocessing).toMatchObject({ padding: 'none', minSpeechShare: 0, minSpeechSeconds: 0 })
    expect(guesses).toEqual([
      expect.stringMatching(/^Speech is not looked for/),
      expect.stringMatching(/own length.*20 s/),
    ])
  })

  it('fills a recording up to the fixed length of the network', () => {
    const plan = audioPlan({ sampling_rate: 16_000 }, null, 64_600)
    expect(plan.preprocessing).toMatchObject({ window: { samples: 64_600 }, padding: 'zero' })
    expect(plan.guesses).toHaveLength(1)
    expect(() => audioPlan({ sampling_rate: 16_000 }, 4, 64_600)).toThrow(/takes 64600 samples, not the 64000/)
  })

  it('keeps the level of the feature extractor, and fills a given window, which is no guess', () => {
    const config = { feature_extractor_type: 'Wav2Vec2FeatureExtractor', sampling_rate: 16_000, do_normalize: false }
    expect(audioPlan(config, 3, null)).toMatchObject({
      preprocessing: { window: { samples: 48_000 }, padding: 'zero', normalize: 'none' },
      guesses: [expect.stringMatching(/^Speech is not looked for/)],
    })
    expect(() => audioPlan({ feature_extractor_type: 'Wav2Vec2FeatureExtractor' }, null, null)).toThrow(/sampling_rate/)
  })
})

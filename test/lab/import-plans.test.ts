import { describe, expect, it } from 'vitest'
import { audioPlan } from '../../src/lab/import/audio-plan.js'
import { findFakeClasses } from '../../src/lab/import/fake-classes.js'
import type { PreprocessorConfig } from '../../src/lab/import/hugging-face-export.js'
import { imagePlan } from '../../src/lab/import/image-plan.js'
import { textPlan } from '../../src/lab/import/text-plan.js'

describe('which labels mean fake', () => {
  const fake = (...labels: string[]) => {
    const found = findFakeClasses({ id2label: Object.fromEntries(labels.entries()) }, null)
    return found.fake.map((index) => found.labels[index])
  }

  it.each([
    [['Real', 'Fake'], ['Fake']],
    [['REAL_IMAGE', 'AI_GENERATED'], ['AI_GENERATED']],
    [['artificial', 'human'], ['artificial']],
    [['hum', 'aiGenerated'], ['aiGenerated']],
    [['bonafide', 'spoof'], ['spoof']],
    [
      ['not fake', 'deepfake', 'synthetic voice'],
      ['deepfake', 'synthetic voice'],
    ],
    [['Human-written', 'Machine-generated'], ['Machine-generated']],
    [['aid', 'fakery', 'fake'], ['fake']],
  ])('of %j: %j', (labels, expected) => expect(fake(...labels)).toEqual(expected))

  it('classes that are not numbered through are refused', () => {
    expect(() => findFakeClasses({ id2label: { 0: 'real', 2: 'fake' } }, null)).toThrow(/names no class 1/)
    expect(() => findFakeClasses({}, null)).toThrow(/names no class/)
  })
})

describe('the preprocessing of image exports', () => {
  const plan = (config: PreprocessorConfig) =>
    imagePlan({ image_mean: [0.5, 0.5, 0.5], image_std: [0.5, 0.5, 0.5], resample: 2, ...config })

  it.each<[string, PreprocessorConfig, object]>([
    [
      'ViT: stretched',
      { size: { height: 224, width: 224 } },
      { resize: { shortSide: 224, fit: 'stretch', kernel: 'linear' }, crops: { size: 224 } },
    ],
    [
      'ViT, old: one number',
      { size: 384, resample: 3 },
      { resize: { shortSide: 384, fit: 'stretch', kernel: 'cubic' } },
    ],
    [
      'CLIP: short side, then the center',
      { size: { shortest_edge: 256 }, do_center_crop: true, crop_size: { height: 224, width: 224 }, resample: 1 },
      { resize: { shortSide: 256, fit: 'short-side', kernel: 'lanczos3' }, crops: { size: 224, positions: 'center' } },
    ],
    [
      'CLIP, old: numbers',
      { size: 224, do_center_crop: true, crop_size: 224 },
      { resize: { shortSide: 224, fit: 'short-side' }, crops: { size: 224 } },
    ],
    [
      'ConvNeXt: enlarged before the crop',
      { image_processor_type: 'ConvNextImageProcessor', size: { shortest_edge: 224 }, crop_pct: 0.875 },
      { resize: { shortSide: 256, fit: 'short-side' }, crops: { size: 224 } },
    ],
    [
      'ConvNeXt from 384 on: stretched',
      { feature_extractor_type: 'ConvNextFeatureExtractor', size: { shortest_edge: 384 } },
      { resize: { shortSide: 384, fit: 'stretch' }, crops: { size: 384 } },
    ],
  ])('%s', (_, config, expected) => {
    expect(plan(config).preprocessing).toMatchObject(expected)
  })

  it('another scale of bytes moves into mean and deviation', () => {
    // byte / 127.5 normalized by 1 and 1 is (byte / 255 - 0.5) / 0.5.
    const { preprocessing } = imagePlan({
      size: 32,
      resample: 2,
      rescale_factor: 1 / 127.5,
      image_mean: 1,
      image_std: 1,
    })
    expect(preprocessing.normalize.mean[0]).toBeCloseTo(0.5, 12)
    expect(preprocessing.normalize.std[2]).toBeCloseTo(0.5, 12)
    const plain = imagePlan({ size: 32, resample: 2, do_normalize: false }).preprocessing.normalize
    expect(plain).toEqual({ mean: [0, 0, 0], std: [1, 1, 1] })
  })

  it('what is not stated is said to be a guess', () => {
    expect(imagePlan({ size: 32 }).guesses).toHaveLength(3)
    expect(plan({ size: 32 }).guesses).toEqual([])
    expect(plan({ size: { shortest_edge: 224 } }).guesses[0]).toMatch(/middle square/)
  })

  it.each<[PreprocessorConfig, RegExp]>([
    [{ do_resize: false, size: 32 }, /does not resize/],
    [{ size: { longest_edge: 224 } }, /no height and width/],
    [{ size: 32, image_mean: [0.5] }, /1 channels, not 3/],
  ])('%j is refused', (config, message) => expect(() => plan(config)).toThrow(message))
})

it("audio: the level of the feature extractor is kept, a window of one's own is filled up and no guess", () => {
  const config = { feature_extractor_type: 'Wav2Vec2FeatureExtractor', sampling_rate: 16_000, do_normalize: false }
  expect(audioPlan(config, 3, null)).toMatchObject({
    preprocessing: { window: { samples: 48_000 }, padding: 'zero', normalize: 'none' },
    guesses: [expect.stringMatching(/^Speech is not looked for/)],
  })
  expect(audioPlan(config, null, null).guesses).toHaveLength(2)
  expect(() => audioPlan({ feature_extractor_type: 'Wav2Vec2FeatureExtractor' }, null, null)).toThrow(/sampling_rate/)
})

it.each([
  [{ model_type: 'bert', max_position_embeddings: 512 }, 512, 512],
  [{ model_type: 'roberta', max_position_embeddings: 514 }, null, 512],
  [{ model_type: 'deberta' }, 256, 256],
  [{}, null, 512],
])('text: %j with a tokenizer of %j takes %j tokens', (config, maxLength, expected) => {
  const { preprocessing } = textPlan({ config, tokenizer: { maxLength } }, ['en', 'de'])
  expect(preprocessing).toMatchObject({ languages: ['en', 'de'], features: { maxTokens: expected } })
})

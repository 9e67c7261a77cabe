import { describe, expect, it } from 'vitest'
import { imagePreprocessing } from '../../../src/detect/package/image-plan.js'
import { imageViewsPreprocessing } from '../../../src/detect/package/image-views.js'
import { preprocessingSchema } from '../../../src/detect/package/preprocessing.js'
import { FACES_PLAN } from '../../support/detector-faces.js'
import { AUDIO, having, IMAGE, TEXT, VIDEO, VIEWS } from './plans.js'

describe('preprocessing', () => {
  it.each<[object, string, unknown, unknown]>([
    [IMAGE, 'resize.shortSide', 8, 7],
    [IMAGE, 'resize.shortSide', 2048, 2049],
    [IMAGE, 'crops.size', 8, 7],
    [IMAGE, 'minShortSide', 1, 0],
    [IMAGE, 'minShortSide', 4096, 4097],
    [IMAGE, 'resize.fit', 'stretch', 'cover'],
    [AUDIO, 'sampleRate', 8000, 7999],
    [AUDIO, 'sampleRate', 48_000, 48_001],
    [AUDIO, 'window.samples', 400, 399],
    [AUDIO, 'window.hop', 1, 0],
    [AUDIO, 'maxWindows', 256, 257],
    [AUDIO, 'maxWindows', 1, 0],
    [AUDIO, 'minSpeechShare', 1, 1.01],
    [AUDIO, 'minSpeechSeconds', 0, -0.1],
    [AUDIO, 'minBandwidthHz', 24_000, 24_001],
    [AUDIO, 'normalize', 'zero-mean-unit-variance', 'zscore'],
    [TEXT, 'minCharacters', 1, 0],
    [TEXT, 'windowCharacters', 100, 99],
    [TEXT, 'maxWindows', 256, 257],
    [TEXT, 'languages', ['en', 'fil'], []],
    [TEXT, 'languages', ['en'], ['e']],
    [TEXT, 'languages', ['fil'], ['engl']],
    [TEXT, 'features.buckets', 2 ** 24, 2 ** 25],
    [TEXT, 'features.buckets', 2048, 2047],
    [TEXT, 'features.buckets', 1024, 512],
    [TEXT, 'features.characters', [1, 8], [0, 8]],
    [TEXT, 'features.characters', [1, 8], [1, 9]],
    [TEXT, 'features.words', [1, 8], [1, 9]],
    [VIDEO, 'maxFrames', 512, 513],
    [VIDEO, 'windowSeconds', 0.1, 0],
    [VIEWS, 'whole.maxAspect', 1, 0.99],
    [VIEWS, 'whole.maxAspect', 4, 4.01],
    [VIEWS, 'faces', FACES_PLAN, { ...FACES_PLAN, minConfidence: 0.04 }],
    [VIEWS, 'faces', { ...FACES_PLAN, minSide: 8 }, { ...FACES_PLAN, minSide: 7 }],
    [VIEWS, 'faces', { ...FACES_PLAN, maxFaces: 16 }, { ...FACES_PLAN, maxFaces: 17 }],
    [VIEWS, 'faces', { ...FACES_PLAN, margin: 0 }, { ...FACES_PLAN, margin: -0.1 }],
    [VIEWS, 'faces', { ...FACES_PLAN, side: 64 }, { ...FACES_PLAN, side: 63 }],
  ])('%j: %s may be %j, never %j', (whole, at, good, bad) => {
    expect(preprocessingSchema.safeParse(having(whole, at, good)).error?.issues).toBeUndefined()
    expect(preprocessingSchema.safeParse(having(whole, at, bad)).success).toBe(false)
  })

  it('accepts tokens of a text within the bounds of a model', () => {
    const tokens = {
      kind: 'tokens',
      tokenizer: 'tokenizer.json',
      tokenizerConfig: 'tokenizer_config.json',
      maxTokens: 8,
    }
    const withTokens = (maxTokens: number) =>
      preprocessingSchema.safeParse({ ...TEXT, features: { ...tokens, maxTokens } })
    expect([7, 8, 8192, 8193].map((each) => withTokens(each).success)).toEqual([false, true, true, false])
  })

  it('fills in optional fields', () => {
    expect(imagePreprocessing.parse(IMAGE)).toMatchObject({
      resize: { fit: 'short-side' },
      minShortSide: 32,
      refuseFeatureless: false,
    })
    expect(preprocessingSchema.parse(AUDIO)).toMatchObject({ normalize: 'none' })
    expect(preprocessingSchema.parse(TEXT)).toMatchObject({ minCharacters: 180, features: { style: false } })
    const { side: _, closerSide: __, ...faces } = FACES_PLAN
    expect(imageViewsPreprocessing.parse({ ...VIEWS, faces })).toMatchObject({ faces: { side: 320, closerSide: 640 } })
  })
})

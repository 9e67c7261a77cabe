import { describe, expect, it } from 'vitest'
import { imagePlan } from '../../../src/lab/import/image-plan.js'
import { asPreprocessor, timmConfig } from '../../../src/lab/import/timm-config.js'

/** As timm 1.0 writes it for vit_small_patch16_224.augreg_in21k_ft_in1k. */
const VIT = {
  input_size: [3, 224, 224],
  interpolation: 'bicubic',
  crop_pct: 0.9,
  crop_mode: 'center',
  mean: [0.5, 0.5, 0.5],
  std: [0.25, 0.25, 0.25],
  num_classes: 1000,
}

const planOf = (change: object) => imagePlan(asPreprocessor(timmConfig.parse({ ...VIT, ...change })))

describe('the input of a timm model', () => {
  it('is enlarged by the crop and cut in the middle', () => {
    const { preprocessing, guesses } = planOf({})
    expect(preprocessing).toMatchObject({
      resize: { shortSide: 248, fit: 'short-side', longSide: 'floored', kernel: 'cubic' },
      crops: { size: 224, positions: 'center' },
      normalize: { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] },
    })
    expect(guesses).toEqual([])
  })

  it('is stretched where the export states so', () => {
    const { preprocessing } = planOf({ crop_mode: 'squash', crop_pct: 1 })
    expect(preprocessing).toMatchObject({ resize: { shortSide: 224, fit: 'stretch' }, crops: { size: 224 } })
  })

  it.each([
    [{ interpolation: 'random' }, /interpolation random is not supported/],
    [{ input_size: [3, 224, 192] }, /224x192; only squares/],
    [{ crop_mode: 'border' }, /crop_mode border is not supported/],
  ])('%j is refused', (change, message) => expect(() => planOf(change)).toThrow(message))
})

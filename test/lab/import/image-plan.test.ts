import { describe, expect, it } from 'vitest'
import { imagePlan } from '../../../src/lab/import/image-plan.js'

describe('the plan of an image export', () => {
  it.each([
    [{ size: 32, resample: 5 }, /resample 5 \(of Pillow\) is not supported/],
    [{ size: { height: 32, width: 64 }, resample: 2 }, /size is 32x64; only squares/],
    [{ size: 32, do_center_crop: true, crop_size: { height: 16, width: 8 }, resample: 2 }, /crop_size is 16x8/],
    [{ resample: 2 }, /size states no height and width/],
    [{ size: 32, resample: 2, do_flip_channel_order: true }, /do_flip_channel_order is not supported/],
    [{ size: 32, resample: 2, rescale_offset: true }, /rescale_offset is not supported/],
    [{ size: 32, resample: 2, do_pad: true }, /do_pad is not supported/],
    [{ size: 32, resample: 2, image_processor_type: 'LevitImageProcessor' }, /LevitImageProcessor is not supported/],
  ])('with %j is refused', (config, message) => {
    expect(() => imagePlan(config)).toThrow(message)
  })

  it('without its configuration is refused', () => {
    expect(() => imagePlan(null)).toThrow(/preprocessor_config/)
  })

  it('takes steps that are off as not there', () => {
    const config = { size: 32, resample: 2, image_mean: 0.5, image_std: 0.5 }
    const off = { do_flip_channel_order: false, rescale_offset: false, do_pad: null, include_top: false }
    expect(imagePlan({ ...config, ...off })).toEqual(imagePlan(config))
  })

  it.each([
    [true, [0.4, 0.4, 0.4], 0.25],
    [false, [0, 0, 0], 0.5],
  ])('divides by the deviation once more for a classifier on top, normalized: %s', (normalized, mean, deviation) => {
    const config = {
      size: 32,
      resample: 2,
      do_normalize: normalized,
      image_mean: 0.4,
      image_std: 0.5,
      include_top: true,
    }
    expect(imagePlan(config).preprocessing.normalize).toEqual({ mean, std: [deviation, deviation, deviation] })
  })

  it('of bytes that are not rescaled normalizes them on their own scale', () => {
    const config = { size: 32, resample: 2, do_rescale: false, image_mean: 127.5, image_std: 127.5 }
    const { guesses, preprocessing } = imagePlan(config)
    expect(preprocessing.normalize.mean[0]).toBeCloseTo(0.5, 12)
    expect(preprocessing.normalize.std[0]).toBeCloseTo(0.5, 12)
    expect(guesses).toEqual([expect.stringMatching(/does not rescale/)])
  })
})

import { describe, expect, it } from 'vitest'
import type { PreprocessorConfig } from '../../../src/lab/import/hugging-face-export.js'
import { imagePlan } from '../../../src/lab/import/image-plan.js'

/** All that an export may leave to be guessed but its size. */
const STATED = { image_mean: 0.5, image_std: 0.5, resample: 2 }

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
    [{ do_resize: false, size: 32, resample: 2 }, /does not resize/],
    [{ size: { longest_edge: 224 }, resample: 2 }, /no height and width/],
    [{ size: 32, resample: 2, image_mean: [0.5] }, /1 channels, not 3/],
  ])('with %j is refused', (config, message) => {
    expect(() => imagePlan(config)).toThrow(message)
  })

  it('without its configuration is refused', () => {
    expect(() => imagePlan(null)).toThrow(/preprocessor_config/)
  })

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
    expect(imagePlan({ ...STATED, ...config }).preprocessing).toMatchObject(expected)
  })

  it('converts another scale of bytes into mean and deviation', () => {
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

  it('marks what is not stated as a guess', () => {
    expect(imagePlan({ size: 32 }).guesses).toHaveLength(3)
    expect(imagePlan({ ...STATED, size: 32 }).guesses).toEqual([])
    expect(imagePlan({ ...STATED, size: { shortest_edge: 224 } }).guesses[0]).toMatch(/middle square/)
  })

  it('ignores steps that are disabled', () => {
    const config = { ...STATED, size: 32 }
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

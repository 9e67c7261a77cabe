import { z } from 'zod'
import { unsupported } from './import-error.js'

const channels = z.tuple([z.number(), z.number(), z.number()])

/** What config.json of a timm model states of its input, in place of preprocessor_config.json. */
export const timmConfig = z.object({
  input_size: z.tuple([z.literal(3), z.int().positive(), z.int().positive()]),
  mean: channels,
  std: channels,
  interpolation: z.string().default('bilinear'),
  crop_pct: z.number().positive().default(0.875),
  crop_mode: z.string().nullish(),
})

/** The names that timm gives Pillow's interpolations, in the order of their numbers there. */
const RESAMPLE = ['nearest', 'lanczos', 'bilinear', 'bicubic', 'box']

/** The same as transformers states it: enlarged by the crop, the middle cut out. @throws import-unsupported */
export function asPreprocessor(config: z.infer<typeof timmConfig>) {
  const { mean, std, interpolation, crop_pct, crop_mode } = config
  const [, height, width] = config.input_size
  const resample = RESAMPLE.indexOf(interpolation)
  if (resample < 0) throw unsupported(`config.json: pretrained_cfg.interpolation ${interpolation} is not supported.`)
  if (height !== width) throw unsupported(`config.json: the input is ${height}x${width}; only squares are supported.`)
  if (crop_mode === 'border') throw unsupported('config.json: pretrained_cfg.crop_mode border is not supported.')
  const side = Math.floor(height / crop_pct)
  return {
    size: crop_mode === 'squash' ? { height: side, width: side } : { shortest_edge: side },
    do_center_crop: true,
    crop_size: { height, width },
    resample,
    image_mean: [...mean],
    image_std: [...std],
  }
}

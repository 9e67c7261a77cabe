import { z } from 'zod'

/** Smallest short side, px, that is scored where a package does not state its own; below it an image is all upsampling. */
export const DEFAULT_MIN_SHORT_SIDE = 32

const triple = z.tuple([z.number(), z.number(), z.number()])

/** Bytes R, G, B become (byte / 255 - mean) / std. */
export const imageNormalization = z.strictObject({
  mean: triple,
  std: z.tuple([z.number().positive(), z.number().positive(), z.number().positive()]),
})

/** How a picture is resized, by the filter of Pillow of the same kind (`linear` is its BILINEAR, `cubic` its BICUBIC). */
export const resizeKernel = z.enum(['lanczos3', 'cubic', 'linear', 'box', 'nearest'])

/** Smallest short side of a picture that is scored, px. */
export const minShortSide = z.int().min(1).max(4096).default(DEFAULT_MIN_SHORT_SIDE)

/** One view of a picture: resized and cut, all parts by one network. */
export const imagePreprocessing = z.strictObject({
  kind: z.literal('image'),
  resize: z.strictObject({
    shortSide: z.int().min(8).max(2048),
    /** `stretch` gives both sides that length, whatever the aspect. */
    fit: z.enum(['short-side', 'stretch']).default('short-side'),
    /** How the long side becomes a whole number with `short-side`: `floored` as transformers and torchvision do; rounded where absent. */
    longSide: z.enum(['rounded', 'floored']).optional(),
    kernel: resizeKernel,
  }),
  crops: z.strictObject({ size: z.int().min(8).max(2048), positions: z.enum(['five', 'center']) }),
  normalize: imageNormalization,
  minShortSide,
  /** Whether a picture of one color or a smooth gradient is refused rather than scored. */
  refuseFeatureless: z.boolean().default(false),
})

/** Mean and standard deviation by channel (R, G, B), on pixels of 0 to 1, as the model was trained. */
export type ImageNormalization = z.infer<typeof imageNormalization>
export type ResizeKernel = z.infer<typeof resizeKernel>
/** `preprocessing` of kind `image` in a manifest, for the runtimes `onnx` and `remote`; sides are px. */
export type ImagePreprocessing = z.infer<typeof imagePreprocessing>

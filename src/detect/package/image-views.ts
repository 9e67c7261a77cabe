import { z } from 'zod'
import { imageNormalization, minShortSide } from './image-plan.js'
import { relativePath } from './package-file.js'

/** The whole picture, made smaller or larger: its composition. */
const wholeView = z.strictObject({
  /** To which the short side is brought, px. */
  shortSide: z.int().min(32).max(1024),
  /** Longest side divided by shortest side that is kept; of a longer picture the middle is looked at. */
  maxAspect: z.number().min(1).max(4),
  kernel: z.enum(['lanczos3', 'cubic', 'linear']),
})

/** Faces, each cut out of the full-size pixels and brought to one size. */
const faceView = z.strictObject({
  /** RetinaFace network in this package whose input takes any height and width. */
  finder: relativePath,
  /** Longest side at which faces are looked for first, px. */
  side: z.int().min(64).max(2048).default(320),
  /** Longest side of the second look, which is taken where the first returned a box that may be a face, px. */
  closerSide: z.int().min(64).max(2048).default(640),
  minConfidence: z.number().min(0.05).max(1),
  /** Smallest longer side of a face that is looked at, px of the picture. */
  minSide: z.int().min(8).max(4096),
  /** What is kept around a face on each side, as a share of its longer side. */
  margin: z.number().min(0).max(2),
  /** Most faces that are scored; of more, the largest. */
  maxFaces: z.int().min(1).max(16),
  /** Side to which the square cut is brought, px. */
  size: z.int().min(32).max(1024),
})

/** A picture seen in several ways, each by its own network (runtime `onnx-views`). */
export const imageViewsPreprocessing = z.strictObject({
  kind: z.literal('image-views'),
  whole: wholeView,
  faces: faceView.optional(),
  normalize: imageNormalization,
  minShortSide,
})

const weights = { intercept: z.number(), whole: z.number() }

/**
 * How the logits of the views become one: `intercept + whole * whole`, in a picture with faces by the second line, where
 * `face * worst face` is added.
 */
export const fusionSchema = z.strictObject({
  withoutFaces: z.strictObject(weights),
  withFaces: z.strictObject({ ...weights, face: z.number().min(0) }).optional(),
  /** Logits of the whole view between which faces are looked for: beyond them no face moves the verdict. Absent: always. */
  facesBetween: z
    .tuple([z.number(), z.number()])
    .refine(([low, high]) => low <= high, 'the lower logit comes first')
    .optional(),
  /**
   * Where the largest face covers at least `minShare` of the largest square in the picture, a logit above 0 falls by `shift`, to 0
   * at most: "machine-made" needs more there, and nothing becomes "real" by it. Absent: nowhere.
   */
  portraits: z.strictObject({ minShare: z.number().positive().max(1), shift: z.number().positive() }).optional(),
})

/** `preprocessing` of kind `image-views` in a manifest: the whole picture and, if stated, faces. */
export type ImageViewsPreprocessing = z.infer<typeof imageViewsPreprocessing>
/** How faces are found and cut out; absent in a package whose networks look at no faces. */
export type FaceView = z.infer<typeof faceView>
/** Weights by which logits of views are added; without `withFaces` faces in a picture change nothing. */
export type Fusion = z.infer<typeof fusionSchema>

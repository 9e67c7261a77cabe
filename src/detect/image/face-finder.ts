import { type InferenceSession, Tensor } from 'onnxruntime-node'
import { AttestdError, errorText } from '../../core/errors.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { loadOnnxSession } from '../runtimes/onnx-model.js'
import { type Picture, rawImage } from './picture.js'

/** Side of the square input of the network, px: RetinaFace (Deng et al. 2020) over MobileNet 0.25, `mnet.25_v2` of npm `retinaface` 0.0.6. */
const INPUT_SIDE = 640
const INPUT = 'data'
/** Distance of two anchors and the two anchor sides of each output level, px of the input; from the same package. */
const LEVELS = [
  { stride: 32, sides: [512, 256] },
  { stride: 16, sides: [128, 64] },
  { stride: 8, sides: [32, 16] },
] as const
/** Of two boxes that overlap by more than this share of their union, the less confident one is the same face. */
const SAME_FACE_OVERLAP = 0.4
/** Boxes looked at when the doubles are taken out; a picture of a crowd has a few hundred. */
const MAX_BOXES = 2000

/** A face in a picture: a box in whole pixels of that picture, inside it. */
export interface Face {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  /** [0, 1] */
  readonly confidence: number
}

interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
  readonly confidence: number
}

/** Finds faces in pictures and video frames. */
export interface FaceFinder {
  /**
   * The faces that are large and clear enough, largest first; the same pixels always give the same faces.
   * @throws AttestdError detector-failed
   */
  find(picture: Picture, limits: FaceLimits): Promise<Face[]>
}

export interface FaceLimits {
  readonly minConfidence: number
  /** Smallest longer side of a face, px of the picture. */
  readonly minSide: number
  /** Most faces; of more, the largest. */
  readonly maxFaces: number
}

/**
 * Loads a RetinaFace network of a package.
 * @param model file of the package
 * @throws AttestdError model-digest-mismatch, manifest-invalid
 */
export async function loadFaceFinder(pack: DetectorPackage, model: string): Promise<FaceFinder> {
  const session = await loadOnnxSession(pack, model)
  const outputs = LEVELS.flatMap(({ stride }) => [scoresName(stride), boxesName(stride)])
  for (const name of outputs) {
    if (session.outputNames.includes(name) && session.inputNames.includes(INPUT)) continue
    throw new AttestdError('manifest-invalid', `${model} of ${pack.manifest.id} is no RetinaFace network: no ${name}.`)
  }
  return {
    async find(picture, limits) {
      const { values, scale } = await toInput(picture)
      const results = await run(session, values, outputs)
      const boxes = LEVELS.flatMap(({ stride, sides }) =>
        decodeLevel(floats(results, scoresName(stride)), floats(results, boxesName(stride)), stride, sides, limits),
      )
      return withoutDoubles(boxes)
        .map((box) => toFace(box, scale, picture))
        .filter(({ width, height }) => Math.max(width, height) >= limits.minSide && Math.min(width, height) > 0)
        .sort((a, b) => b.width * b.height - a.width * a.height || a.left - b.left || a.top - b.top)
        .slice(0, limits.maxFaces)
    },
  }
}

const scoresName = (stride: number) => `face_rpn_cls_prob_reshape_stride${stride}`
const boxesName = (stride: number) => `face_rpn_bbox_pred_stride${stride}`

/** The picture in the upper left of a black square, as planes of bytes 0 to 255. */
async function toInput(picture: Picture): Promise<{ values: Float32Array; scale: [number, number] }> {
  const { width, height } = picture
  const fit = INPUT_SIDE / Math.max(width, height)
  const fitted = { width: Math.max(1, Math.round(width * fit)), height: Math.max(1, Math.round(height * fit)) }
  const data = await rawImage(picture)
    .resize(fitted.width, fitted.height, { fit: 'fill', kernel: 'lanczos3' })
    .raw({ depth: 'uchar' })
    .toBuffer()
  const plane = INPUT_SIDE * INPUT_SIDE
  const values = new Float32Array(3 * plane)
  for (let y = 0, from = 0; y < fitted.height; y++) {
    for (let x = 0, to = y * INPUT_SIDE; x < fitted.width; x++, to++, from += 3) {
      values[to] = data[from] as number
      values[to + plane] = data[from + 1] as number
      values[to + 2 * plane] = data[from + 2] as number
    }
  }
  return { values, scale: [width / fitted.width, height / fitted.height] }
}

async function run(
  session: InferenceSession,
  values: Float32Array,
  outputs: readonly string[],
): Promise<InferenceSession.ReturnType> {
  try {
    return await session.run({ [INPUT]: new Tensor('float32', values, [1, 3, INPUT_SIDE, INPUT_SIDE]) }, [...outputs])
  } catch (error) {
    throw new AttestdError('detector-failed', `The face finder gave an error: ${errorText(error)}`, { cause: error })
  }
}

function floats(results: InferenceSession.ReturnType, name: string): Float32Array {
  const data = results[name]?.data
  if (data instanceof Float32Array) return data
  throw new AttestdError('detector-failed', 'The face finder did not give 32-bit floats.')
}

/**
 * The boxes of one level that are confident enough, in pixels of the input.
 * @param scores planes: no face for each anchor, then face for each anchor
 * @param boxes planes: dx, dy, log width and log height for each anchor, relative to it
 */
export function decodeLevel(
  scores: Float32Array,
  boxes: Float32Array,
  stride: number,
  sides: readonly number[],
  { minConfidence }: Pick<FaceLimits, 'minConfidence'>,
): Box[] {
  const across = INPUT_SIDE / stride
  const plane = across * across
  const found: Box[] = []
  for (const [anchor, side] of sides.entries()) {
    for (let at = 0; at < plane; at++) {
      const confidence = scores[(sides.length + anchor) * plane + at] as number
      if (!(confidence >= minConfidence)) continue
      const [dx, dy, dw, dh] = [0, 1, 2, 3].map((each) => boxes[(anchor * 4 + each) * plane + at] as number) as Quad
      // Anchors are centered on the middle of a base box of 16 px at each step of the stride.
      const x = 8 + (at % across) * stride + side * dx
      const y = 8 + Math.floor(at / across) * stride + side * dy
      const [halfWidth, halfHeight] = [(side * Math.exp(dw)) / 2, (side * Math.exp(dh)) / 2]
      found.push({ x0: x - halfWidth, y0: y - halfHeight, x1: x + halfWidth, y1: y + halfHeight, confidence })
    }
  }
  return found
}

type Quad = [number, number, number, number]

/** Each face once, by its most confident box, most confident first; of equal ones the earlier. */
export function withoutDoubles(boxes: readonly Box[]): Box[] {
  const kept: Box[] = []
  for (const box of boxes.toSorted((a, b) => b.confidence - a.confidence).slice(0, MAX_BOXES)) {
    if (kept.every((other) => overlap(box, other) <= SAME_FACE_OVERLAP)) kept.push(box)
  }
  return kept
}

/** Intersection over union. */
function overlap(a: Box, b: Box): number {
  const width = Math.max(0, Math.min(a.x1, b.x1) - Math.max(a.x0, b.x0))
  const height = Math.max(0, Math.min(a.y1, b.y1) - Math.max(a.y0, b.y0))
  const shared = width * height
  const area = ({ x0, y0, x1, y1 }: Box) => (x1 - x0) * (y1 - y0)
  return shared / (area(a) + area(b) - shared)
}

function toFace(box: Box, [scaleX, scaleY]: [number, number], { width, height }: Picture): Face {
  const inside = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)))
  const [left, top] = [inside(box.x0 * scaleX, width), inside(box.y0 * scaleY, height)]
  const [right, bottom] = [inside(box.x1 * scaleX, width), inside(box.y1 * scaleY, height)]
  return { left, top, width: right - left, height: bottom - top, confidence: box.confidence }
}

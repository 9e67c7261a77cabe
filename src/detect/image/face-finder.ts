import type { InferenceSession } from 'onnxruntime-node'
import type { Picture } from '../contract/picture.js'
import type { FaceView } from '../package/image-views.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { loadNetwork, requireNames, runNetwork } from '../runtimes/onnx-model.js'
import type { Area } from './image-tensor.js'
import { rawImage } from './picture.js'

/** Input of the network: RetinaFace (Deng et al. 2020) over MobileNet 0.25, `mnet.25_v2` of npm `retinaface` 0.0.6. */
const INPUT = 'data'
/** Height and width of the input are multiples of the largest stride, px. */
const INPUT_STEP = 32
/**
 * A box of at least this confidence that is not confident enough is worth a closer look. Measured on 1,296 originals of
 * the image pack: with a first look at 320 px and this, 99 % of the faces found at 640 px are found, and a closer look is
 * taken at 8 % of the pictures.
 */
const WORTH_A_CLOSER_LOOK = 0.3
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
export interface Face extends Area {
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

/** Which faces are looked for and kept, as a package states. */
type FaceLimits = Pick<FaceView, 'side' | 'closerSide' | 'minConfidence' | 'minSide' | 'maxFaces'>

/** Finds faces in pictures and video frames. */
export interface FaceFinder {
  /** The faces large and clear enough, largest first, the same for the same pixels. @throws detector-failed */
  find(picture: Picture, limits: FaceLimits): Promise<Face[]>
}

/** Loads a package's RetinaFace network. @param model its file @throws model-digest-mismatch, manifest-invalid */
export async function loadFaceFinder(pack: DetectorPackage, model: string): Promise<FaceFinder> {
  const network = await loadNetwork(pack, model)
  const outputs = LEVELS.flatMap(({ stride }) => [scoresName(stride), boxesName(stride)])
  const field = 'preprocessing.faces.finder'
  if (hasFixedSize(network.session))
    throw manifestRefused(pack.manifest.id, field, `${model} takes pictures of one size only`)
  requireNames(network, 'takes', [INPUT], field)
  requireNames(network, 'gives', outputs, field)
  const look = async (picture: Picture, side: number): Promise<Face[]> => {
    const input = await toInput(picture, side)
    const { values, width, height } = input
    const feeds = { [INPUT]: { type: 'float32' as const, values, shape: [1, 3, height, width] } }
    const results = (await runNetwork(network, feeds, outputs)).map((result) => result.values)
    const boxes = LEVELS.flatMap(({ stride, sides }, level) => {
      const across = width / stride
      const [scores, offsets] = results.slice(2 * level, 2 * level + 2) as [Float32Array, Float32Array]
      return decodeLevel(scores, offsets, { stride, sides, across }, WORTH_A_CLOSER_LOOK)
    })
    return withoutDoubles(boxes).map((box) => toFace(box, input.scale, picture))
  }
  return {
    async find(picture, limits) {
      const first = await look(picture, limits.side)
      const isDoubtful = first.some(({ confidence }) => confidence < limits.minConfidence)
      const found = isDoubtful && limits.closerSide > limits.side ? await look(picture, limits.closerSide) : first
      return found
        .filter(({ confidence }) => confidence >= limits.minConfidence)
        .filter(({ width, height }) => Math.max(width, height) >= limits.minSide && Math.min(width, height) > 0)
        .sort((a, b) => b.width * b.height - a.width * a.height || a.left - b.left || a.top - b.top)
        .slice(0, limits.maxFaces)
    },
  }
}

/** Whether the input states its height or width as a number, so that a smaller look cannot be taken. */
function hasFixedSize({ inputMetadata }: InferenceSession): boolean {
  const input = inputMetadata.find(({ name }) => name === INPUT)
  return input?.isTensor === true && input.shape.slice(2).some((side) => typeof side === 'number')
}

const scoresName = (stride: number) => `face_rpn_cls_prob_reshape_stride${stride}`
const boxesName = (stride: number) => `face_rpn_bbox_pred_stride${stride}`

/**
 * The picture with `side` as its longest side, in the upper left of a black input that is as large as it must be.
 * @returns planes of bytes 0 to 255, and how many pixels of the picture one of the input is, across and down
 */
async function toInput(picture: Picture, side: number) {
  const fit = side / Math.max(picture.width, picture.height)
  const fitted = [picture.width, picture.height].map((length) => Math.max(1, Math.round(length * fit)))
  const [across, down] = fitted as [number, number]
  const data = await rawImage(picture)
    .resize(across, down, { fit: 'fill', kernel: 'lanczos3' })
    .raw({ depth: 'uchar' })
    .toBuffer()
  const [width, height] = fitted.map((length) => Math.ceil(length / INPUT_STEP) * INPUT_STEP) as [number, number]
  const plane = width * height
  const values = new Float32Array(3 * plane)
  for (let y = 0, from = 0; y < down; y++) {
    for (let x = 0, to = y * width; x < across; x++, to++, from += 3) {
      values[to] = data[from] as number
      values[to + plane] = data[from + 1] as number
      values[to + 2 * plane] = data[from + 2] as number
    }
  }
  const scale: [number, number] = [picture.width / across, picture.height / down]
  return { values, width, height, scale }
}

/** One output level: `across` steps of `stride` px in each row of the input. */
export interface Level {
  readonly stride: number
  readonly sides: readonly number[]
  readonly across: number
}

/**
 * The boxes of one level that are confident enough, in pixels of the input.
 * @param scores planes: no face for each anchor, then face for each anchor
 * @param boxes planes: dx, dy, log width and log height for each anchor, relative to it
 */
export function decodeLevel(
  scores: Float32Array,
  boxes: Float32Array,
  { stride, sides, across }: Level,
  minConfidence: number,
): Box[] {
  const plane = scores.length / (2 * sides.length)
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

function toFace(box: Box, [scaleX, scaleY]: readonly [number, number], { width, height }: Picture): Face {
  const inside = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)))
  const [left, top] = [inside(box.x0 * scaleX, width), inside(box.y0 * scaleY, height)]
  const [right, bottom] = [inside(box.x1 * scaleX, width), inside(box.y1 * scaleY, height)]
  return { left, top, width: right - left, height: bottom - top, confidence: box.confidence }
}

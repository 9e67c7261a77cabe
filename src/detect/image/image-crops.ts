import { AttestdError } from '../../core/errors.js'
import type { Part } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import type { ImagePreprocessing } from '../package/image-plan.js'
import { type Area, imageTensor } from './image-tensor.js'
import { resized } from './resample.js'

/** Longest side divided by shortest side that is kept; of a longer strip only the middle is looked at. */
const MAX_ASPECT = 8

type Position = readonly [name: string, x: number, y: number]

/**
 * The parts of a decoded picture or frame: crops, [1, 3, size, size], of the picture at the size the model was trained with, in
 * a fixed order.
 * @throws AttestdError media-too-small
 */
export async function imageParts(image: Picture, plan: ImagePreprocessing): Promise<Part[]> {
  refuseSmall(image, plan.minShortSide)
  const resized = await resize(image, plan.resize)
  const { size, positions } = plan.crops
  return cropPositions(resized.width, resized.height, size, positions).map(([name, left, top]) => ({
    name,
    inputs: [imageTensor({ picture: resized, area: { left, top, width: size, height: size } }, plan.normalize)],
  }))
}

/** @throws AttestdError media-too-small */
export function refuseSmall({ width, height }: Picture, minShortSide: number): void {
  if (Math.min(width, height) >= minShortSide) return
  throw new AttestdError(
    'media-too-small',
    `The image is ${width}x${height} px; the detector needs a short side of at least ${minShortSide} px.`,
  )
}

/** Where the crops lie: corners and center, or the center alone; x and y of the top left pixel. */
export function cropPositions(width: number, height: number, size: number, positions: 'five' | 'center'): Position[] {
  const right = width - size
  const bottom = height - size
  const center: Position = ['center', Math.floor(right / 2), Math.floor(bottom / 2)]
  if (positions === 'center') return [center]
  return [
    ['top left', 0, 0],
    ['top right', right, 0],
    ['bottom left', 0, bottom],
    ['bottom right', right, bottom],
    center,
  ]
}

/** The part of an image that is kept: all of it, or the middle of one longer than `maxAspect` times its short side. */
export function keptArea(width: number, height: number, maxAspect = MAX_ASPECT): Area {
  const longest = Math.floor(Math.min(width, height) * maxAspect)
  const keptWidth = Math.min(width, longest)
  const keptHeight = Math.min(height, longest)
  return {
    left: Math.floor((width - keptWidth) / 2),
    top: Math.floor((height - keptHeight) / 2),
    width: keptWidth,
    height: keptHeight,
  }
}

function resize(image: Picture, plan: ImagePreprocessing['resize']): Promise<Picture> {
  const area = plan.fit === 'stretch' ? wholeArea(image) : keptArea(image.width, image.height)
  const { width, height } = resizedTo(area, plan)
  return resized({ picture: image, area }, width, height, plan.kernel)
}

const wholeArea = ({ width, height }: Picture): Area => ({ left: 0, top: 0, width, height })

function resizedTo(
  area: { readonly width: number; readonly height: number },
  { shortSide, fit, longSide }: ImagePreprocessing['resize'],
): { width: number; height: number } {
  if (fit === 'stretch') return { width: shortSide, height: shortSide }
  const short = Math.min(area.width, area.height)
  const whole = longSide === 'floored' ? Math.floor : Math.round
  // Multiplied first, so that a whole number is not missed by the last bit of a quotient.
  const scaled = (side: number) => whole((side * shortSide) / short)
  return { width: scaled(area.width), height: scaled(area.height) }
}

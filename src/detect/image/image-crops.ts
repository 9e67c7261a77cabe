import { AttestdError } from '../../core/errors.js'
import type { ImagePreprocessing } from '../package/preprocessing.js'
import { type Picture, rawImage } from './picture.js'

/** Longest side divided by shortest side that is kept; of a longer strip only the middle is looked at. */
const MAX_ASPECT = 8

/** One crop, ready for a model: RGB planes (NCHW with N = 1), normalized. */
export interface ImageCrop {
  readonly name: string
  /** 3 * size * size values. */
  readonly values: Float32Array
}

interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
}

type Position = readonly [name: string, x: number, y: number]

/**
 * Brings the short side (or both) to the size the model was trained with and cuts the crops, in a fixed order.
 * @throws AttestdError media-too-small
 */
export async function cropImage(image: Picture, plan: ImagePreprocessing): Promise<ImageCrop[]> {
  const short = Math.min(image.width, image.height)
  if (short < plan.minShortSide) {
    throw new AttestdError(
      'media-too-small',
      `The image is ${image.width}x${image.height} px; the detector needs a short side of at least ${plan.minShortSide} px.`,
    )
  }
  const resized = await resize(image, plan.resize)
  const { size, positions } = plan.crops
  return cropPositions(resized.width, resized.height, size, positions).map(([name, x, y]) => ({
    name,
    values: cropTensor(resized, x, y, size, plan.normalize),
  }))
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

/** The part of an image that is kept: all of it, or the middle of a strip longer than `MAX_ASPECT`. */
export function keptArea(width: number, height: number): { left: number; top: number; width: number; height: number } {
  const longest = Math.min(width, height) * MAX_ASPECT
  const keptWidth = Math.min(width, longest)
  const keptHeight = Math.min(height, longest)
  return {
    left: Math.floor((width - keptWidth) / 2),
    top: Math.floor((height - keptHeight) / 2),
    width: keptWidth,
    height: keptHeight,
  }
}

async function resize(image: Picture, plan: ImagePreprocessing['resize']): Promise<Pixels> {
  const area = plan.fit === 'stretch' ? wholeArea(image) : keptArea(image.width, image.height)
  const { width, height } = resizedTo(area, plan)
  const data = await rawImage(image)
    .extract(area)
    .resize(width, height, { fit: 'fill', kernel: plan.kernel })
    .raw({ depth: 'uchar' })
    .toBuffer()
  return { data, width, height }
}

function wholeArea({ width, height }: Picture): ReturnType<typeof keptArea> {
  return { left: 0, top: 0, width, height }
}

function resizedTo(
  area: { readonly width: number; readonly height: number },
  { shortSide, fit }: ImagePreprocessing['resize'],
): { width: number; height: number } {
  if (fit === 'stretch') return { width: shortSide, height: shortSide }
  const scale = shortSide / Math.min(area.width, area.height)
  const scaled = (side: number) => Math.max(shortSide, Math.round(side * scale))
  return { width: scaled(area.width), height: scaled(area.height) }
}

function cropTensor(
  { data, width }: Pixels,
  left: number,
  top: number,
  size: number,
  { mean, std }: ImagePreprocessing['normalize'],
): Float32Array {
  const plane = size * size
  const values = new Float32Array(3 * plane)
  for (let channel = 0; channel < 3; channel++) {
    const table = normalizedBytes(mean[channel] as number, std[channel] as number)
    for (let y = 0; y < size; y++) {
      let from = ((top + y) * width + left) * 3 + channel
      const row = channel * plane + y * size
      for (let x = 0; x < size; x++, from += 3) values[row + x] = table[data[from] as number] as number
    }
  }
  return values
}

/** (byte / 255 - mean) / std of all 256 byte values. */
function normalizedBytes(mean: number, std: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - mean) / std)
}

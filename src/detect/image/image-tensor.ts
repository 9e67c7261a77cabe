import type { FloatInput } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import type { ImageNormalization } from '../package/image-plan.js'

/** A rectangle of a picture, px; it lies inside. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** An area of decoded pixels. */
export interface Cut {
  readonly picture: Picture
  readonly area: Area
}

/** A picture as one cut. */
export function wholeCut(picture: Picture): Cut {
  return { picture, area: { left: 0, top: 0, width: picture.width, height: picture.height } }
}

/** A cut as a network of pictures takes it: [1, 3, H, W], planes R, G, B, normalized. */
export function imageTensor({ picture, area }: Cut, { mean, std }: ImageNormalization): FloatInput {
  const { width, height } = area
  const values = new Float32Array(3 * width * height)
  for (const [channel, each] of mean.entries())
    writePlane(values, channel * width * height, picture, area, channel, normalizedBytes(each, std[channel] as number))
  return { type: 'float32', values, shape: [1, 3, height, width] }
}

function writePlane(
  values: Float32Array,
  start: number,
  { pixels, width: rowPixels }: Picture,
  { left, top, width, height }: Area,
  channel: number,
  table: Float32Array,
): void {
  for (let y = 0, to = start; y < height; y++) {
    let from = ((top + y) * rowPixels + left) * 3 + channel
    for (const end = to + width; to < end; to++, from += 3) values[to] = table[pixels[from] as number] as number
  }
}

/** (byte / 255 - mean) / std of all 256 byte values. */
const normalizedBytes = (mean: number, std: number): Float32Array =>
  Float32Array.from({ length: 256 }, (_, byte) => (byte / 255 - mean) / std)

import type { Picture } from '../contract/picture.js'
import type { FaceView } from '../package/image-views.js'
import type { Face } from './face-finder.js'
import { type Area, type Cut, wholeCut } from './image-tensor.js'
import type { ImageVariant } from './image-variants.js'
import { resizedFast } from './resample.js'

/** The square around a face with its margin, moved and made smaller where it would leave the picture. */
export function faceSquare(
  { left, top, width, height }: Face,
  margin: number,
  picture: Pick<Picture, 'width' | 'height'>,
): Area {
  const wanted = Math.round(Math.max(width, height) * (1 + 2 * margin))
  const side = Math.max(1, Math.min(wanted, picture.width, picture.height))
  const within = (middle: number, room: number) => Math.max(0, Math.min(room - side, Math.round(middle - side / 2)))
  return {
    left: within(left + width / 2, picture.width),
    top: within(top + height / 2, picture.height),
    width: side,
    height: side,
  }
}

/** How much of the largest square in the picture a face covers; of a tall face it can be more than 1. */
export const faceShare = ({ width, height }: Face, picture: Pick<Picture, 'width' | 'height'>): number =>
  (width * height) / Math.min(picture.width, picture.height) ** 2

/** A face cut out of the full-size pixels and brought to the size that its network takes. */
export async function faceCut(
  picture: Picture,
  face: Face,
  { margin, size }: Pick<FaceView, 'margin' | 'size'>,
): Promise<Cut> {
  const square = { picture, area: faceSquare(face, margin, picture) }
  return wholeCut(await resizedFast(square, size, size, 'lanczos3'))
}

/** The same faces in a variant of their picture. */
export function facesIn({ left, top, scale }: ImageVariant, faces: readonly Face[]): Face[] {
  return faces.map((face) => ({
    left: (face.left - left) * scale,
    top: (face.top - top) * scale,
    width: face.width * scale,
    height: face.height * scale,
    confidence: face.confidence,
  }))
}

/** Numbered by size, with its place in the picture: `face 1 (178,53 95x125)`. */
export const faceName = ({ left, top, width, height }: Face, index: number): string =>
  `face ${index + 1} (${left},${top} ${width}x${height})`

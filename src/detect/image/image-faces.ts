import type { Part } from '../child/medium-reader.js'
import type { FacePlan, ImagePreprocessing } from '../package/preprocessing.js'
import type { Face } from './face-finder.js'
import { cropImage } from './image-crops.js'
import { type Picture, piece } from './picture.js'

/** The square around a face with its margin, moved and made smaller where it would leave the picture. */
export function faceSquare(
  { left, top, width, height }: Face,
  margin: number,
  picture: Pick<Picture, 'width' | 'height'>,
): { left: number; top: number; width: number; height: number } {
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

/** Each face as a part for the model: cut out of the picture, brought to the plan's size, its center crop taken. */
export async function faceParts(
  picture: Picture,
  faces: readonly Face[],
  plan: ImagePreprocessing,
  { margin, size: shortSide }: Pick<FacePlan, 'margin' | 'size'>,
): Promise<Part[]> {
  const crops = { ...plan.crops, positions: 'center' } as const
  const facePlan = { ...plan, resize: { ...plan.resize, shortSide }, crops, minShortSide: 1 }
  const shape = [1, 3, crops.size, crops.size]
  const parts: Part[] = []
  // One by one: each cut holds on to the whole picture.
  for (const [index, face] of faces.entries()) {
    const [crop] = await cropImage(await piece(picture, faceSquare(face, margin, picture)), facePlan)
    if (crop === undefined) continue
    const inputs = [{ type: 'float32' as const, values: crop.values, shape }]
    parts.push({ name: faceName(face, index), branch: 'face', inputs })
  }
  return parts
}

/** Numbered by size, with its place in the picture: `face 1 (178,53 95x125)`. */
export function faceName({ left, top, width, height }: Face, index: number): string {
  return `face ${index + 1} (${left},${top} ${width}x${height})`
}

import { AttestdError } from '../../core/errors.js'
import type { Picture } from '../contract/picture.js'
import { asPicture, rawImage } from './picture.js'

/** Side of the blocks whose detail is measured, px. */
const BLOCK = 16
/** Most blocks looked at along each side, evenly spread. */
const BLOCKS = 32
/**
 * Mean absolute second difference of neighboring bytes, in the channel where it is largest, from which a block has
 * detail. Measured (900 originals of the image pack, those with the fewest bytes a pixel among them; synthetic
 * pictures of 64 to 1920 px as PNG, JPEG 60 to 90 and WebP 75): the 99.5th percentile of the blocks of one color,
 * linear and radial gradients, dither and noise of one byte is at most 2.4; of the flattest photograph it is 2.9.
 */
const DETAIL = 2.4
/** Share of the blocks that must have detail; one speck on a blank page is none. */
const DETAILED_SHARE = 0.005
/** Short side of the coarse look, px: a picture out of focus has detail there, and a smooth gradient still has none. */
const COARSE_SIDE = 224

/** Refuses a picture in which there is nothing to judge: one color, a black frame, a blank page, a smooth gradient. @throws AttestdError media-featureless */
export async function refuseFeatureless(picture: Picture): Promise<void> {
  if (!(await isFeatureless(picture))) return
  throw new AttestdError(
    'media-featureless',
    'The picture contains nothing to judge: it is one color or a smooth gradient.',
  )
}

/** Whether neither the pixels as they are nor the picture made smaller hold detail, in brightness or in color. */
export async function isFeatureless(picture: Picture): Promise<boolean> {
  if (hasDetail(picture)) return false
  const scale = COARSE_SIDE / Math.min(picture.width, picture.height)
  return scale >= 1 || !hasDetail(await smaller(picture, scale))
}

function smaller(picture: Picture, scale: number): Promise<Picture> {
  const side = (length: number) => Math.max(1, Math.round(length * scale))
  return asPicture(
    rawImage(picture).resize(side(picture.width), side(picture.height), { fit: 'fill', kernel: 'lanczos3' }),
  )
}

function hasDetail(picture: Picture): boolean {
  const lefts = places(picture.width)
  const tops = places(picture.height)
  const needed = Math.ceil(lefts.length * tops.length * DETAILED_SHARE)
  let found = 0
  for (const top of tops) {
    for (const left of lefts) {
      if (blockDetail(picture, left, top) < DETAIL) continue
      found += 1
      if (found >= needed) return true
    }
  }
  return false
}

/** Where the blocks start along one side. */
function places(length: number): number[] {
  const count = Math.max(1, Math.min(BLOCKS, Math.floor(length / BLOCK)))
  const room = Math.max(0, length - BLOCK)
  return Array.from({ length: count }, (_, index) => (count === 1 ? 0 : Math.round((index * room) / (count - 1))))
}

/** Second differences along rows and columns; a straight slope has none. */
function blockDetail({ pixels, width, height }: Picture, left: number, top: number): number {
  const [across, down] = [Math.min(BLOCK, width), Math.min(BLOCK, height)]
  const line = width * 3
  let most = 0
  for (let channel = 0; channel < 3; channel++) {
    const start = top * line + left * 3 + channel
    const along = differences(pixels, start, across, 3, down, line)
    const upright = differences(pixels, start, down, line, across, 3)
    most = Math.max(most, (along + upright) / 2)
  }
  return most
}

function differences(pixels: Buffer, start: number, length: number, step: number, lines: number, next: number): number {
  let sum = 0
  for (let line = 0; line < lines; line++) {
    for (let index = 1, at = start + line * next + step; index < length - 1; index++, at += step) {
      const [before, here, after] = [pixels[at - step] as number, pixels[at] as number, pixels[at + step] as number]
      sum += Math.abs(after - 2 * here + before)
    }
  }
  return length < 3 ? 0 : sum / (lines * (length - 2))
}

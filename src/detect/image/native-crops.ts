import type { Picture } from '../contract/picture.js'
import type { ImageViewsPreprocessing } from '../package/image-views.js'
import type { Area } from './image-tensor.js'

/** Most places of the grid along each side; those of a larger picture lie further apart. */
const MAX_PLACES = 8
/** Every this many rows and columns are looked at when the detail of a place is measured. */
const STRIDE = 4
/** Mean absolute difference of green bytes beside and below each other from which a place is not flat. */
const FLAT = 1

interface Place extends Area {
  readonly detail: number
}

/**
 * Where the crops at native resolution lie. The side is `size`, or the short side of a smaller picture. Candidates
 * stand on an even grid that reaches every edge, as many along a side as fit when rounded, eight at most, so that two
 * overlap by half a side at most. Flat ones are left out where there are others; of the rest those with the most detail
 * are taken, the earlier of equal ones, and given in reading order. The same pixels always give the same crops.
 */
export function nativeCrops(picture: Picture, { size, count }: ImageViewsPreprocessing['native']): Area[] {
  const side = Math.min(size, picture.width, picture.height)
  const places = gridOf(picture, side).map((area): Place => ({ ...area, detail: detailOf(picture, area) }))
  const detailed = places.filter(({ detail }) => detail >= FLAT)
  return (detailed.length > 0 ? detailed : places)
    .toSorted((a, b) => b.detail - a.detail || a.top - b.top || a.left - b.left)
    .slice(0, count)
    .sort((a, b) => a.top - b.top || a.left - b.left)
    .map(({ left, top }) => ({ left, top, width: side, height: side }))
}

function gridOf({ width, height }: Picture, side: number): Area[] {
  const tops = steps(height, side)
  return steps(width, side)
    .flatMap((left) => tops.map((top) => ({ left, top, width: side, height: side })))
    .sort((a, b) => a.top - b.top || a.left - b.left)
}

/** The starts of squares along one side, evenly from edge to edge; of one alone, the middle. */
function steps(length: number, side: number): number[] {
  const count = Math.max(1, Math.min(MAX_PLACES, Math.round(length / side)))
  const room = length - side
  if (count === 1) return [Math.floor(room / 2)]
  return Array.from({ length: count }, (_, index) => Math.round((index * room) / (count - 1)))
}

/** Green stands for brightness: it has most of it. */
function detailOf({ pixels, width }: Picture, { left, top, width: side }: Area): number {
  const line = width * 3
  let [sum, count] = [0, 0]
  for (let y = 0; y < side - 1; y += STRIDE) {
    for (let x = 0, at = (top + y) * line + left * 3 + 1; x < side - 1; x += STRIDE, at += STRIDE * 3) {
      const here = pixels[at] as number
      sum += Math.abs((pixels[at + 3] as number) - here) + Math.abs((pixels[at + line] as number) - here)
      count += 2
    }
  }
  return count === 0 ? 0 : sum / count
}

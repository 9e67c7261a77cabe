import type { Picture } from '../contract/picture.js'
import type { NativeView } from '../package/image-views.js'
import type { Area } from './image-tensor.js'

/**
 * Where the crops at native resolution lie, in reading order. The side is `size`, or the short side of a smaller picture.
 * They stand evenly and away from the edges, where borders, marks and blurred backgrounds are: as many along a side as fit
 * when rounded, at most the square root of `count`; one in the middle, two at a quarter and three quarters of the room.
 */
export function nativeCrops(picture: Pick<Picture, 'width' | 'height'>, { size, count }: NativeView): Area[] {
  const side = Math.min(size, picture.width, picture.height)
  const most = Math.floor(Math.sqrt(count))
  const lefts = starts(picture.width, side, most)
  return starts(picture.height, side, most).flatMap((top) =>
    lefts.map((left) => ({ left, top, width: side, height: side })),
  )
}

/** The starts of squares along one side: as many as fit when rounded, `most` at most. */
function starts(length: number, side: number, most: number): number[] {
  const count = Math.max(1, Math.min(most, Math.round(length / side)))
  return Array.from({ length: count }, (_, index) => Math.floor(((length - side) * (index + 0.5)) / count))
}

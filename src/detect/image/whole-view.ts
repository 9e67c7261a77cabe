import type { Picture } from '../contract/picture.js'
import type { ImageViewsPreprocessing } from '../package/image-views.js'
import { keptArea } from './image-crops.js'
import { rawImage } from './picture.js'

/** The whole picture at the size that the network for it takes; of a long one the middle. */
export async function wholeView(picture: Picture, plan: ImageViewsPreprocessing['whole']): Promise<Picture> {
  const area = keptArea(picture.width, picture.height, plan.maxAspect)
  const scale = plan.shortSide / Math.min(area.width, area.height)
  const scaled = (side: number) => Math.max(plan.shortSide, Math.round(side * scale))
  const [width, height] = [scaled(area.width), scaled(area.height)]
  const pixels = await rawImage(picture)
    .extract(area)
    .resize(width, height, { fit: 'fill', kernel: plan.kernel })
    .raw({ depth: 'uchar' })
    .toBuffer()
  return { pixels, width, height }
}

import type { Picture } from '../contract/picture.js'
import type { ImageViewsPreprocessing } from '../package/image-views.js'
import { keptArea } from './image-crops.js'
import { resizedFast } from './resample.js'

/** The whole picture at the size that the network for it takes, resized as Pillow does in its recipe; of a long one the middle. */
export async function wholeView(picture: Picture, plan: ImageViewsPreprocessing['whole']): Promise<Picture> {
  const area = keptArea(picture.width, picture.height, plan.maxAspect)
  const scale = plan.shortSide / Math.min(area.width, area.height)
  const scaled = (side: number) => Math.max(plan.shortSide, Math.round(side * scale))
  return resizedFast({ picture, area }, scaled(area.width), scaled(area.height), plan.kernel)
}

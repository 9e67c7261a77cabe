import type { ReaderTools, ReadMedia } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import type { ImagePreprocessing } from '../package/image-plan.js'
import { refuseFeatureless } from './featureless.js'
import { imageParts, refuseSmall } from './image-crops.js'
import { type DecodedImage, decodeImage, otherPictures } from './image-decode.js'
import { imageVariants } from './image-variants.js'

/** Opens pictures for one view; their parts are the crops of the package's plan. */
export async function readImage(file: string, plan: ImagePreprocessing, tools: ReaderTools): Promise<ReadMedia> {
  const refuse = async (picture: Picture) => {
    refuseSmall(picture, plan.minShortSide)
    if (plan.refuseFeatureless) await refuseFeatureless(picture)
  }
  const image = await decodeImage(file, tools)
  await refuse(image)
  const parts = await imageParts(image, plan)
  return {
    summary: describeImage(image),
    parts: () => parts,
    async *others() {
      for await (const { name, picture } of otherPictures(image, refuse))
        yield { name, parts: await imageParts(picture, plan) }
    },
    async *variants() {
      for await (const { name, picture } of imageVariants(image)) {
        if (Math.min(picture.width, picture.height) < plan.minShortSide) continue
        yield { name, parts: await imageParts(picture, plan) }
      }
    },
  }
}

/** What was decoded, in a few words: `jpeg 640x480`. */
export function describeImage({ format, width, height, frames }: DecodedImage): string {
  const name = format === 'heif' ? 'avif' : format
  return `${name} ${width}x${height}${frames > 1 ? `, first of ${frames} frames` : ''}`
}

import { AttestdError } from '../../core/errors.js'
import type { MediumReader, Part } from '../child/medium-reader.js'
import type { ImagePreprocessing } from '../package/preprocessing.js'
import { cropImage } from './image-crops.js'
import { type DecodedImage, decodeImage } from './image-decode.js'
import { imageVariants, type Picture } from './image-variants.js'

/** Opens a picture; its parts are the crops of the package's plan. */
export const readImage: MediumReader = async (file, { preprocessing }, tools) => {
  if (preprocessing.kind !== 'image') throw new AttestdError('internal-error', 'The package does not read images.')
  const image = await decodeImage(file, tools)
  const parts = await imageParts(image, preprocessing)
  return {
    says: describe(image),
    parts: () => parts,
    async *variants() {
      for await (const { name, picture } of imageVariants(image)) {
        if (Math.min(picture.width, picture.height) < preprocessing.minShortSide) continue
        yield { name, parts: await imageParts(picture, preprocessing) }
      }
    },
  }
}

/** The parts of a decoded picture or frame. @throws AttestdError media-too-small */
export async function imageParts(image: Picture, plan: ImagePreprocessing): Promise<Part[]> {
  const { size } = plan.crops
  const crops = await cropImage(image, plan)
  return crops.map(({ name, values }) => ({ name, inputs: [{ type: 'float32', values, shape: [1, 3, size, size] }] }))
}

function describe({ format, width, height, frames }: DecodedImage): string {
  const name = format === 'heif' ? 'avif' : format
  return `${name} ${width}x${height}${frames > 1 ? `, first of ${frames} frames` : ''}`
}

import { AttestdError } from '../../core/errors.js'
import type { MediumReader, Part } from '../child/medium-reader.js'
import type { DetectorPackage } from '../package/package-loader.js'
import type { ImagePreprocessing } from '../package/preprocessing.js'
import { type FaceFinder, loadFaceFinder } from './face-finder.js'
import { cropImage } from './image-crops.js'
import { type DecodedImage, decodeImage } from './image-decode.js'
import { faceParts } from './image-faces.js'
import { imageVariants } from './image-variants.js'
import type { Picture } from './picture.js'

/**
 * The reader of a package for pictures, its face finder loaded.
 * @throws AttestdError model-digest-mismatch, manifest-invalid
 */
export async function openImageReader(pack: DetectorPackage): Promise<MediumReader> {
  const { preprocessing } = pack.manifest
  const faces = preprocessing.kind === 'image' ? preprocessing.faces : undefined
  return imageReader(faces === undefined ? null : await loadFaceFinder(pack, faces.model))
}

/**
 * Opens pictures; their parts are the crops of the package's plan, then the faces.
 * @param finder null where the package has no plan for faces
 */
function imageReader(finder: FaceFinder | null): MediumReader {
  return async (file, { preprocessing: plan }, tools) => {
    if (plan.kind !== 'image') throw new AttestdError('internal-error', 'The package does not read images.')
    const image = await decodeImage(file, tools)
    const crops = await imageParts(image, plan)
    const faces = await facesOf(image, plan, finder)
    return {
      says: describe(image, faces.length),
      parts: () => [...crops, ...faces],
      async *variants() {
        for await (const { name, picture } of imageVariants(image)) {
          if (Math.min(picture.width, picture.height) < plan.minShortSide) continue
          yield { name, parts: [...(await imageParts(picture, plan)), ...(await countingFaces(picture, plan, finder))] }
        }
      },
    }
  }
}

async function facesOf(picture: Picture, plan: ImagePreprocessing, finder: FaceFinder | null): Promise<Part[]> {
  if (finder === null || plan.faces === undefined) return []
  return faceParts(picture, await finder.find(picture, plan.faces), plan, plan.faces)
}

/** Faces that are only told are not looked for again in every variant. */
async function countingFaces(picture: Picture, plan: ImagePreprocessing, finder: FaceFinder | null): Promise<Part[]> {
  return plan.faces?.combine === 'report' ? [] : facesOf(picture, plan, finder)
}

/** The parts of a decoded picture or frame. @throws AttestdError media-too-small */
export async function imageParts(image: Picture, plan: ImagePreprocessing): Promise<Part[]> {
  const { size } = plan.crops
  const crops = await cropImage(image, plan)
  return crops.map(({ name, values }) => ({ name, inputs: [{ type: 'float32', values, shape: [1, 3, size, size] }] }))
}

function describe({ format, width, height, frames }: DecodedImage, faces: number): string {
  const name = format === 'heif' ? 'avif' : format
  const found = faces === 0 ? '' : `, ${faces} face${faces > 1 ? 's' : ''}`
  return `${name} ${width}x${height}${frames > 1 ? `, first of ${frames} frames` : ''}${found}`
}

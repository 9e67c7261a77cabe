import type { Picture } from '../contract/picture.js'
import { imageLibrary } from './image-library.js'
import { asPicture, rawImage } from './picture.js'

/** The quality at which many sites store what is uploaded, and a coarse one, as after several shares. */
const FINE_QUALITY = 80
const COARSE_QUALITY = 60
/** Share of each side that a screenshot or a careless share cuts away. */
const CUT_SHARE = 0.02
/** Scale of a picture made smaller for a page. */
const SMALLER = 0.75

/** A picture encoded again, and where a spot of the original lies in it: (x - left) * scale, (y - top) * scale. */
export interface ImageVariant {
  readonly name: string
  readonly picture: Picture
  readonly left: number
  readonly top: number
  readonly scale: number
}

/**
 * The same picture as it might reach a second reader: stored again, made smaller, cut a little and stored coarsely.
 * Made from the decoded pixels by one library, so the same picture always gives the same variants.
 */
export async function* imageVariants(picture: Picture): AsyncGenerator<ImageVariant> {
  const inPlace = { left: 0, top: 0, scale: 1 }
  yield {
    name: `JPEG quality ${FINE_QUALITY}`,
    picture: await throughJpeg(rawImage(picture), FINE_QUALITY),
    ...inPlace,
  }
  yield { name: `${SMALLER * 100} % size`, picture: await smaller(picture), ...inPlace, scale: SMALLER }
  const [left, top] = [Math.round(picture.width * CUT_SHARE), Math.round(picture.height * CUT_SHARE)]
  const area = { left, top, width: picture.width - 2 * left, height: picture.height - 2 * top }
  const name = `cut by ${CUT_SHARE * 100} % a side, JPEG quality ${COARSE_QUALITY}`
  yield { name, picture: await throughJpeg(rawImage(picture).extract(area), COARSE_QUALITY), left, top, scale: 1 }
}

async function throughJpeg(image: ReturnType<typeof rawImage>, quality: number): Promise<Picture> {
  const jpeg = await image.jpeg({ quality }).toBuffer()
  return asPicture(imageLibrary(jpeg, { limitInputPixels: false }))
}

function smaller(picture: Picture): Promise<Picture> {
  const width = Math.max(1, Math.round(picture.width * SMALLER))
  const height = Math.max(1, Math.round(picture.height * SMALLER))
  return asPicture(rawImage(picture).resize(width, height, { fit: 'fill', kernel: 'lanczos3' }))
}

import type { Picture } from '../contract/picture.js'
import { imageLibrary } from './image-library.js'

type Image = ReturnType<typeof imageLibrary>

/** A decoded picture as the library takes it for further work. */
export function rawImage({ pixels, width, height }: Picture): Image {
  // The size was checked when it was decoded.
  return imageLibrary(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false })
}

/** The pixels of what the library made. */
export async function asPicture(image: Image): Promise<Picture> {
  const { data, info } = await image.toColourspace('srgb').raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

/** A rectangle of a picture; it must lie inside. */
export function piece(
  picture: Picture,
  area: { readonly left: number; readonly top: number; readonly width: number; readonly height: number },
): Promise<Picture> {
  return asPicture(rawImage(picture).extract(area))
}

import { stat } from 'node:fs/promises'
import { AttestdError, errorText } from '../../core/errors.js'
import { pixelAllowance, type ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import { type ImageFormat, sniffImageFormat } from './image-format.js'
import { imageLibrary } from './image-library.js'
import { refuseProfile, refuseShownOtherwise } from './shown-otherwise.js'

/** A decoded image file: upright, on white where it was transparent. */
export interface DecodedImage extends Picture {
  readonly format: ImageFormat
  /** Frames or pages in the file; only the first is decoded. */
  readonly frames: number
}

/**
 * Decodes the first frame of an image in full, so that the same bytes always give the same pixels: no
 * shrink-on-load (a JPEG or WebP decoded at half size has other pixels than a full one), embedded profile applied,
 * EXIF orientation applied, transparency on white, 16 bit cut to 8, gray and CMYK turned into sRGB.
 * @throws AttestdError media-empty, media-type-mismatch, media-unsupported, media-corrupt, media-too-complex, detector-timeout
 */
export async function decodeImage(
  file: string,
  limits: Pick<ReaderTools, 'maxPixels' | 'timeoutSeconds'>,
): Promise<DecodedImage> {
  const format = await sniffImageFormat(file)
  await refuseShownOtherwise(file, format)
  const { size } = await stat(file)
  const most = Math.min(limits.maxPixels, pixelAllowance(size, format === 'heif'))
  const options = { limitInputPixels: most, failOn: 'error', pages: 1, autoOrient: true } as const
  try {
    const frames = format === 'jpeg' ? 1 : await framesOf(imageLibrary(file, options), format)
    const { data, info } = await imageLibrary(file, options)
      .timeout({ seconds: limits.timeoutSeconds })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { pixels: rgbOf(data, info.channels), width: info.width, height: info.height, format, frames }
  } catch (error) {
    throw error instanceof AttestdError ? error : decodeError(error, most, size)
  }
}

/** From the header. It is not read of a JPEG, which libvips tells by the same bytes and which holds one frame: that is a fifth of its decoding. */
async function framesOf(image: ReturnType<typeof imageLibrary>, format: ImageFormat): Promise<number> {
  const header = await image.metadata()
  refuseProfile(header.icc?.[8])
  if (header.format === format) return header.pages ?? 1
  throw new AttestdError('media-corrupt', `The bytes start like ${format} but decode as ${header.format}.`)
}

function rgbOf(data: Buffer, channels: number): Buffer {
  if (channels === 3) return data
  throw new AttestdError('media-corrupt', `The image decodes to ${channels} channels, not 3.`)
}

/** libvips has no error codes, so the cases are distinguished by the words of its messages (sharp 0.35, libvips 8.18). */
function decodeError(error: unknown, mostPixels: number, bytes: number): AttestdError {
  const text = firstLine(errorText(error))
  const options = { cause: error }
  if (/pixel limit/i.test(text)) {
    const limit = `The picture has more than the ${mostPixels} pixels that are decoded of ${bytes} bytes.`
    return new AttestdError('media-too-complex', limit, options)
  }
  if (/out of memory|unable to allocate|too large/i.test(text))
    return new AttestdError('media-too-complex', text, options)
  if (/^timeout/i.test(text))
    return new AttestdError('detector-timeout', 'Decoding took longer than its limit.', options)
  if (/not been built|not supported/i.test(text)) {
    return new AttestdError('media-unsupported', `The image cannot be decoded: ${text}`, options)
  }
  return new AttestdError('media-corrupt', `The image cannot be decoded: ${text}`, options)
}

/** Without the file's path, which states nothing and differs by machine. */
function firstLine(text: string): string {
  const line = text.split('\n').find((part) => part.trim() !== '') ?? text
  return line.replaceAll(/\/\S+/g, '(file)').slice(0, 200)
}

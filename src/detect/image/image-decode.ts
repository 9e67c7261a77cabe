import { stat } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import { AttestdError, errorText, isAbstention } from '../../core/errors.js'
import { MAX_PIXELS, pixelAllowance, type ReaderTools } from '../contract/medium-reader.js'
import type { Picture } from '../contract/picture.js'
import { spotPlaces } from '../contract/spot-places.js'
import { isPlainProfile } from './color-profile.js'
import { type ImageFormat, sniffImageFormat } from './image-format.js'
import { imageLibrary } from './image-library.js'
import { jpegProfile, refuseShownOtherwise } from './shown-otherwise.js'

/** A decoded image file: upright, on white where it was transparent. */
export interface DecodedImage extends Picture {
  readonly format: ImageFormat
  /** Frames or pages in the file; only the first is decoded. */
  readonly frames: number
  /** How else people may see it. */
  readonly others: readonly OtherView[]
}

/** Another way of seeing a picture, by its name as it ends `risk ... as`. @throws as `decodeImage` */
interface OtherView {
  readonly name: string
  readonly decode: () => Promise<Picture>
}

/** A way of seeing a picture. */
interface View {
  /** As it ends `risk ... as`. */
  readonly name: string
  /** Frame, from 0. */
  readonly page: number
  /** Color behind what is transparent. */
  readonly background: string
  /** Whether the orientation of its EXIF data is applied. */
  readonly autoOrient: boolean
  /** Whether its color profile is not applied. */
  readonly ignoreIcc: boolean
}

const FIRST: View = { name: 'first frame on white', page: 0, background: '#ffffff', autoOrient: true, ignoreIcc: false }
const WITHOUT_PROFILE: View = { ...FIRST, name: 'shown without its color profile', ignoreIcc: true }
/** Most pixels of an animation, all frames together, of which later frames are looked at: each takes those before it. */
const MAX_ANIMATED_PIXELS = 150_000_000
/** A frame is shown at least so long, ms, whatever it states: browsers take this for less than 11. */
const LEAST_FRAME_MS = 100

/**
 * Decodes the first frame of an image in full, so that the same bytes always give the same pixels: no
 * shrink-on-load (a JPEG or WebP decoded at half size has other pixels than a full one), embedded profile applied,
 * EXIF orientation applied, transparency on white, 16 bit cut to 8, gray and CMYK turned into sRGB.
 * @throws AttestdError media-empty, media-type-mismatch, media-unsupported, media-corrupt, media-too-complex, detector-timeout
 */
export async function decodeImage(
  file: string,
  { timeoutSeconds }: Pick<ReaderTools, 'timeoutSeconds'>,
): Promise<DecodedImage> {
  const format = await sniffImageFormat(file)
  await refuseShownOtherwise(file, format)
  const { size } = await stat(file)
  const most = Math.min(MAX_PIXELS, pixelAllowance(size, format === 'heif'))
  const open = ({ page, autoOrient, ignoreIcc }: View) =>
    imageLibrary(file, { limitInputPixels: most, failOn: 'error', pages: 1, page, autoOrient, ignoreIcc })
  const decode = async (view: View): Promise<Picture> => {
    const { data, info } = await open(view)
      .timeout({ seconds: timeoutSeconds })
      .flatten({ background: view.background })
      .toColourspace('srgb')
      .removeAlpha()
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true })
    return { pixels: rgbOf(data, info.channels), width: info.width, height: info.height }
  }
  const named = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof AttestdError ? error : decodeError(error, most, size)
    }
  }
  return named(async () => {
    const { frames, views } = await headerOf(file, () => open(FIRST), format)
    const others = views.map((view) => ({ name: view.name, decode: () => named(() => decode(view)) }))
    return { ...(await decode(FIRST)), format, frames, others }
  })
}

interface Header extends Pick<DecodedImage, 'frames'> {
  readonly views: readonly View[]
}

/** Not read of most JPEGs, which hold one frame and which libvips tells by the same bytes: that is a fifth of their decoding. */
async function headerOf(
  file: string,
  open: () => ReturnType<typeof imageLibrary>,
  format: ImageFormat,
): Promise<Header> {
  const profile = format === 'jpeg' ? await jpegProfile(file) : 'one'
  if (profile === 'none') return { frames: 1, views: [] }
  const header = await open().metadata()
  const isPlain = header.icc === undefined || (profile === 'one' && isPlainProfile(header.icc))
  if (format === 'heif' && (header.pages ?? 1) > 1)
    throw new AttestdError('media-unsupported', 'The file holds several pictures; programs differ in which they show.')
  if (header.format === format)
    return {
      frames: header.pages ?? 1,
      views: [...(isPlain ? [] : [WITHOUT_PROFILE]), ...(await othersOf(file, header, profile === 'unusual'))],
    }
  throw new AttestdError('media-corrupt', `The bytes start like ${format} but decode as ${header.format}.`)
}

/** By the header: on black, as stored where browsers differ in that, and two frames: at a time that the digest selects, and the last. */
async function othersOf(
  file: string,
  { delay: stated, format, hasAlpha, orientation = 1, pages = 1, width, height }: Metadata,
  isUnusual: boolean,
): Promise<View[]> {
  const others: View[] = hasAlpha ? [{ ...FIRST, name: 'shown on black', background: '#000000' }] : []
  if ((format === 'webp' || isUnusual) && orientation > 1)
    others.push({ ...FIRST, name: 'not turned', autoOrient: false })
  // Pages are looked at like frames.
  const delay = stated ?? Array<number>(format === 'tiff' && pages > 1 ? pages : 0).fill(LEAST_FRAME_MS)
  if (delay.length === 0) return others
  if (width * height * delay.length > MAX_ANIMATED_PIXELS)
    throw new AttestdError('media-too-complex', 'The animation has more pixels than are looked at.')
  const [place] = (await spotPlaces(file, 1)) as [number]
  for (const page of new Set([pageAt(place, delay), delay.length - 1]))
    if (page > 0) others.push({ ...FIRST, name: `frame ${page + 1} of ${delay.length}`, page })
  return others
}

/** The frame that is shown when this share of an animation is over. @param delays ms */
function pageAt(share: number, delays: readonly number[]): number {
  const lasting = delays.map((delay) => (delay <= 10 ? LEAST_FRAME_MS : delay))
  const time = lasting.reduce((sum, each) => sum + each, 0) * share
  let shown = 0
  return lasting.findIndex((each) => {
    shown += each
    return shown > time
  })
}

/**
 * The picture as others may see it, where that is another one.
 * @param refuse what cannot be judged is left out
 * @throws AttestdError as `decodeImage`
 */
export async function* otherPictures(
  { pixels, others }: DecodedImage,
  refuse: (picture: Picture) => void | Promise<void>,
): AsyncGenerator<{ readonly name: string; readonly picture: Picture }, void, undefined> {
  for (const { name, decode } of others) {
    const picture = await decode()
    if (picture.pixels.equals(pixels)) continue
    try {
      await refuse(picture)
    } catch (error) {
      if (isAbstention(error)) continue
      throw error
    }
    yield { name, picture }
  }
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

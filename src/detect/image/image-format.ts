import { AttestdError } from '../../core/errors.js'
import { firstBytes, notOfKind } from '../../formats/declared-kind.js'
import { sniff } from '../../formats/sniff.js'

/** Name of an image format that is decoded, as libvips names it (`heif` is AVIF here). */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'heif'

const FORMAT_OF_MIME = new Map<string | null, ImageFormat>([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/apng', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['image/tiff', 'tiff'],
  ['image/avif', 'heif'],
])

/**
 * Tells the image format of a file by its first bytes, never by its name.
 * @throws AttestdError media-empty, media-type-mismatch (bytes of another class of media), media-unsupported (an image format that is not decoded, or unknown bytes)
 */
export async function sniffImageFormat(file: string): Promise<ImageFormat> {
  const head = await firstBytes(file)
  if (isCanonRaw(head)) throw unsupported('image/x-canon-cr2')
  if (isTiff(head)) return 'tiff'
  const sniffed = await sniff(head)
  const format = FORMAT_OF_MIME.get(sniffed.mime)
  if (format !== undefined) return format
  throw isSvg(head) ? unsupported('image/svg+xml') : notOfKind('image', head, sniffed)
}

/** By hand, because file-type looks for the first directory of a TIFF, which may lie at the end of the file. */
const isTiff = (head: Buffer): boolean => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.toString('latin1', 0, 4))

/** A TIFF whose first image is only a preview. Other camera raws cannot be recognized by their first bytes. */
const isCanonRaw = (head: Buffer): boolean => isTiff(head) && head.toString('latin1', 8, 10) === 'CR'

const isSvg = (head: Buffer): boolean => /<svg[\s>]/i.test(head.toString('latin1'))

const unsupported = (format: string): AttestdError =>
  new AttestdError('media-unsupported', `The image format ${format} is not supported.`)

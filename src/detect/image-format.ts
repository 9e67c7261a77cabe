import fs from 'node:fs/promises'
import { fileTypeFromBuffer } from 'file-type'
import { AttestdError } from '../core/errors.js'

/** Bytes that are read to tell the format; enough for every signature that is looked for. */
const SNIFF_BYTES = 4100

/** Image formats that are decoded. Key: file-type's extension; value: the format name libvips reports for it. */
const FORMATS = { jpg: 'jpeg', png: 'png', apng: 'png', webp: 'webp', gif: 'gif', tif: 'tiff', avif: 'heif' } as const

/** Name of an accepted image format, as libvips names it (`heif` is AVIF here). */
export type ImageFormat = (typeof FORMATS)[keyof typeof FORMATS]

/**
 * Tells the image format of a file by its first bytes, never by its name.
 * @throws AttestdError media-empty, media-type-mismatch (bytes of another class of media), media-unsupported (an image format that is not decoded, or unknown bytes)
 */
export async function sniffImageFormat(file: string): Promise<ImageFormat> {
  const head = await readHead(file)
  if (head.length === 0) throw new AttestdError('media-empty')
  if (isTiff(head)) return refuseCameraRaw(head)
  const type = await fileTypeFromBuffer(head)
  if (type !== undefined && Object.hasOwn(FORMATS, type.ext)) return FORMATS[type.ext as keyof typeof FORMATS]
  if (type?.mime.startsWith('image/')) {
    throw new AttestdError('media-unsupported', `The image format ${type.mime} is not supported.`)
  }
  if (isSvg(head)) throw new AttestdError('media-unsupported', 'The image format image/svg+xml is not supported.')
  if (type !== undefined)
    throw new AttestdError('media-type-mismatch', `Declared an image, but the bytes are ${type.mime}.`)
  if (isText(head)) throw new AttestdError('media-type-mismatch', 'Declared an image, but the bytes are text.')
  throw new AttestdError('media-unsupported', 'The bytes have no signature of a known image format.')
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await fs.open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** By hand, because file-type looks for the first directory, which may lie at the end of the file. */
function isTiff(head: Buffer): boolean {
  const magic = head.toString('latin1', 0, 4)
  return magic === 'II*\0' || magic === 'MM\0*' || magic === 'II+\0' || magic === 'MM\0+'
}

/** Canon raw files are TIFFs whose first image is only a preview. Other raws cannot be told by their first bytes. */
function refuseCameraRaw(head: Buffer): ImageFormat {
  if (head.toString('latin1', 8, 10) === 'CR') {
    throw new AttestdError('media-unsupported', 'The image format image/x-canon-cr2 is not supported.')
  }
  return 'tiff'
}

function isSvg(head: Buffer): boolean {
  return /<svg[\s>]/i.test(head.toString('latin1'))
}

/** No control characters but tab and line ends: binary formats have some in their first bytes. */
function isText(head: Buffer): boolean {
  return head.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d))
}

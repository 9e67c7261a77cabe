import { AttestdError } from '../core/errors.js'
import type { MediaType } from '../core/media-types.js'
import { type MediaClass, sniffFile } from '../media/sniff.js'
import type { Detection, DetectorHost } from './detection.js'
import { sniffImageFormat } from './image-format.js'

const MEDIA_TYPE_OF_CLASS: Readonly<Record<Exclude<MediaClass, 'unknown'>, MediaType>> = {
  image: 'image',
  audio: 'audio',
  video: 'video_short',
  text: 'text',
}

/**
 * Scores a file of which nobody declared the kind of media: it is told by the bytes.
 * @throws AttestdError media-unsupported where the bytes tell nothing, detector-none, and those of `DetectorHost.detect`
 */
export async function scoreFile(host: DetectorHost, file: string, signal?: AbortSignal): Promise<Detection> {
  return host.detect({ file, mediaType: await mediaTypeOf(file) }, signal)
}

/** The kind of media of a file, told by its first bytes; any video counts as a short one. @throws AttestdError media-unsupported */
export async function mediaTypeOf(file: string): Promise<MediaType> {
  const sniffed = await sniffFile(file)
  if (sniffed.class !== 'unknown') return MEDIA_TYPE_OF_CLASS[sniffed.class]
  // A TIFF may keep its directory at its end, where the first bytes do not tell a TIFF from nothing.
  const format = await sniffImageFormat(file).catch(() => null)
  if (format !== null) return 'image'
  throw new AttestdError(
    'media-unsupported',
    `The bytes are of no known kind of media (${sniffed.mime ?? 'no signature'}).`,
  )
}

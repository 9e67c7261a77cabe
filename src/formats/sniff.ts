import { fileTypeFromBuffer } from 'file-type/core'
import type { MediaType } from '../core/media-types.js'
import { CONTAINERS } from './containers.js'

/** What bytes are, coarse enough to be compared with what was declared. */
export type MediaClass = 'image' | 'audio' | 'video' | 'text' | 'unknown'

export interface Sniffed {
  readonly class: MediaClass
  /** MIME type by signature; null where there is no known signature. */
  readonly mime: string | null
}

/** Bytes at the start of a file that are looked at; file-type's own sample size. */
export const SNIFF_BYTES = 4100

/** Containers that hold sound alone as well as pictures; their signature does not show which. */
const AUDIO_OR_VIDEO: ReadonlySet<string | null> = new Set([...CONTAINERS.keys(), 'audio/ogg', 'application/mxf'])
/** Signatures of formats that are text; file-type has a few of them. */
const TEXT = new Set(['application/xml', 'application/rtf', 'image/svg+xml', 'text/calendar', 'text/vcard', 'text/vtt'])

/** Detects what bytes are. @param sample the first 4,100 bytes of a file, or all of a shorter one */
export async function sniff(sample: Uint8Array): Promise<Sniffed> {
  const head = sample.subarray(0, SNIFF_BYTES)
  const mime = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime ?? null
  if (mime === null || TEXT.has(mime))
    return { class: isText(head, sample.length >= SNIFF_BYTES) ? 'text' : 'unknown', mime }
  const [kind] = mime.split('/')
  if (AUDIO_OR_VIDEO.has(mime)) return { class: kind === 'audio' ? 'audio' : 'video', mime }
  return { class: kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'unknown', mime }
}

/** The class that a declared media type promises. */
export const expectedClass = (mediaType: MediaType): Exclude<MediaClass, 'unknown'> =>
  mediaType === 'video_short' || mediaType === 'video_long' ? 'video' : mediaType

/** The media type of bytes that nobody declared; null where they are of no known kind. A container that may hold pictures counts as video. */
export function mediaTypeOf({ class: found }: Sniffed): MediaType | null {
  if (found === 'unknown') return null
  return found === 'video' ? 'video_short' : found
}

/** Whether bytes may be of the declared media type. Containers that may hold either pass for audio and for video. */
export function matchesMediaType(sniffed: Sniffed, mediaType: MediaType): boolean {
  const expected = expectedClass(mediaType)
  if (sniffed.class === expected) return true
  return AUDIO_OR_VIDEO.has(sniffed.mime) && (expected === 'audio' || expected === 'video')
}

/** Valid UTF-8 without NUL; a character cut by the end of the sample is no fault. */
function isText(sample: Uint8Array, isCut: boolean): boolean {
  if (sample.length === 0 || sample.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: isCut })
    return true
  } catch {
    return false
  }
}

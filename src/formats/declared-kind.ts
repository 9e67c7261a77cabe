import { AttestdError } from '../core/errors.js'
import { readAt } from '../core/files.js'
import { SNIFF_BYTES, type Sniffed } from './sniff.js'

/** How a file was declared, and the formats of its kind, in the words of a refusal. */
const WORDS = {
  image: { declared: 'an image', format: 'image' },
  audio: { declared: 'audio', format: 'sound' },
  video: { declared: 'a video', format: 'video' },
} as const

/** First words of HLS, PLS, ffmpeg's own lists, SDP, DASH, XSPF, SMIL and ASX: a text that only names other media. */
const PLAYLIST =
  /^\uFEFF?\s*(#EXTM3U|\[playlist\]|ffconcat version|v=0\r?\no=|(<\?xml[^>]*>\s*)?<(MPD|playlist|smil|asx)[\s>])/i

/** The first bytes of a file, by which its format is detected, never by its name. @throws AttestdError media-empty */
export async function firstBytes(file: string): Promise<Buffer> {
  const head = await readAt(file, 0, SNIFF_BYTES)
  if (head.length > 0) return head
  throw new AttestdError('media-empty')
}

/**
 * The refusal of a file whose bytes are of no format that is read for its declared kind.
 * @param head the first bytes of the file
 * @returns media-unsupported (a format of that kind, or unknown bytes), media-type-mismatch (another kind, a playlist)
 */
export function notOfKind(kind: keyof typeof WORDS, head: Buffer, { class: found, mime }: Sniffed): AttestdError {
  const { declared, format } = WORDS[kind]
  if (found === kind) return new AttestdError('media-unsupported', `The ${format} format ${mime} is not supported.`)
  if (found === 'unknown' && mime === null)
    return new AttestdError('media-unsupported', `The bytes have no signature of a known ${format} format.`)
  const bytes = PLAYLIST.test(head.toString('utf8')) ? 'a playlist; what it names is never opened' : (mime ?? found)
  return new AttestdError('media-type-mismatch', `Declared ${declared}, but the bytes are ${bytes}.`)
}

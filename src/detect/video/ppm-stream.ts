import { AttestdError } from '../../core/errors.js'
import type { Picture } from '../contract/picture.js'

/** `P6 <width> <height> 255`, as ffmpeg writes it, with one byte of white space after it. */
const HEADER = /^P6\s+(\d{1,5})\s+(\d{1,5})\s+255\s/
/** More than any header that fits the pattern. */
const MAX_HEADER_BYTES = 32

/**
 * Cuts a stream of binary PPM pictures into pictures; each states its own size, so that a change of size in the middle
 * of a video does no harm.
 * @throws AttestdError media-corrupt where it is no such stream
 */
export async function* readPpmStream(chunks: AsyncIterable<Buffer>): AsyncGenerator<Picture, void, undefined> {
  let pending: Buffer[] = []
  let length = 0
  let wanted = 0
  for await (const chunk of chunks) {
    pending.push(chunk)
    length += chunk.length
    if (length < wanted) continue
    let bytes: Buffer = pending.length === 1 ? chunk : Buffer.concat(pending, length)
    for (;;) {
      const cut = cutPicture(bytes)
      if ('picture' in cut) {
        bytes = bytes.subarray(cut.bytes)
        yield cut.picture
      } else {
        wanted = cut.wanted
        break
      }
    }
    pending = [bytes]
    length = bytes.length
  }
  if (length > 0) throw new AttestdError('media-corrupt', 'ffmpeg stopped in the middle of a frame.')
}

function cutPicture(bytes: Buffer): { picture: Picture; bytes: number } | { wanted: number } {
  const header = HEADER.exec(bytes.toString('latin1', 0, MAX_HEADER_BYTES))
  if (header === null) {
    if (bytes.length < MAX_HEADER_BYTES) return { wanted: bytes.length + 1 }
    throw new AttestdError('media-corrupt', 'ffmpeg returned a frame in an unknown format.')
  }
  const [width, height] = [Number(header[1]), Number(header[2])]
  const end = header[0].length + width * height * 3
  if (bytes.length < end) return { wanted: end }
  // Copied: the picture must not keep the whole chunk alive, nor change with it.
  const pixels = Buffer.from(bytes.subarray(header[0].length, end))
  return { picture: { pixels, width, height }, bytes: end }
}

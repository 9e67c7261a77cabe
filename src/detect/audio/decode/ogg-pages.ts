import { AttestdError } from '../../../core/errors.js'
import { CAPTURE_PATTERN, type OggPage, oggPageAt } from '../../../formats/ogg.js'

/**
 * Whole pages of an Ogg file. What lies between or behind them is passed over, and a page that was cut off is left out:
 * the decoders take its missing bytes for sound.
 * @throws AttestdError media-unsupported where there is a second recording, next to the first one or behind it: the decoders
 *   pass over it, or mix both up, while players play the first, or one after the other
 */
export async function* oggPages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const requireFirst = firstStream()
  let bytes: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    bytes = Buffer.concat([bytes, chunk])
    const pages: Buffer[] = []
    for (;;) {
      const at = bytes.indexOf(CAPTURE_PATTERN)
      // The pattern itself may be cut by the end of the chunk.
      bytes = bytes.subarray(at === -1 ? Math.max(0, bytes.length - CAPTURE_PATTERN.length + 1) : at)
      const page = at === -1 ? null : oggPageAt(bytes)
      if (page === null || page.bytes > bytes.length) break
      requireFirst(page)
      pages.push(bytes.subarray(0, page.bytes))
      bytes = bytes.subarray(page.bytes)
    }
    if (pages.length > 0) yield Buffer.concat(pages)
  }
}

/** What refuses a page of another stream than that of the first page, and one on which a stream begins again. */
function firstStream(): (page: OggPage) => void {
  let first: number | undefined
  return ({ isFirst, serial }) => {
    if (first !== undefined && (isFirst || serial !== first))
      throw new AttestdError('media-unsupported', 'The file holds several recordings.')
    first = serial
  }
}

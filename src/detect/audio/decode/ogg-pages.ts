import { AttestdError } from '../../../core/errors.js'
import { CAPTURE_PATTERN, type OggPage, oggPageAt } from '../../../formats/ogg.js'

/**
 * Whole pages of an Ogg file. What lies between or behind them is passed over, and a page that was cut off is left out:
 * the decoders take its missing bytes for sound.
 * @throws AttestdError media-unsupported where a second recording follows the first: the decoders pass over it, or hear it
 *   with the channels of the first, while players play both
 */
export async function* oggPages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const requireFirst = firstOfChain()
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

/** What refuses a page of a stream that did not begin where all of one recording do: at the start (RFC 3533, section 4). */
function firstOfChain(): (page: OggPage) => void {
  const serials = new Set<number>()
  let isBegun = false
  return ({ isFirst, serial }) => {
    if (isBegun && (isFirst || !serials.has(serial)))
      throw new AttestdError('media-unsupported', 'The file is a chain of several recordings.')
    serials.add(serial)
    isBegun ||= !isFirst
  }
}

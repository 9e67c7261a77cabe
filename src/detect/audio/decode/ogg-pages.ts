import { AttestdError } from '../../../core/errors.js'

/** Header of an Ogg page without its list of segment sizes (RFC 3533, section 6). */
const HEADER_BYTES = 27
const CAPTURE_PATTERN = Buffer.from('OggS')
/** Where a header has its flags and the number of its stream. */
const FLAGS_AT = 5
const SERIAL_AT = 14
const BEGINS_STREAM = 2

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
      const size = at === -1 ? null : pageBytes(bytes)
      if (size === null || size > bytes.length) break
      requireFirst(bytes)
      pages.push(bytes.subarray(0, size))
      bytes = bytes.subarray(size)
    }
    if (pages.length > 0) yield Buffer.concat(pages)
  }
}

/** What refuses a page of a stream that did not begin where all of one recording do: at the start (RFC 3533, section 4). */
function firstOfChain(): (page: Buffer) => void {
  const serials = new Set<number>()
  let isBegun = false
  return (page) => {
    const serial = page.readUInt32LE(SERIAL_AT)
    const begins = (page.readUInt8(FLAGS_AT) & BEGINS_STREAM) !== 0
    if (isBegun && (begins || !serials.has(serial)))
      throw new AttestdError('media-unsupported', 'The file is a chain of several recordings.')
    serials.add(serial)
    isBegun ||= !begins
  }
}

/** Length of the page that begins here; null where its header is not whole. */
function pageBytes(bytes: Buffer): number | null {
  const segments = bytes[HEADER_BYTES - 1]
  if (segments === undefined || bytes.length < HEADER_BYTES + segments) return null
  const sizes = bytes.subarray(HEADER_BYTES, HEADER_BYTES + segments)
  return HEADER_BYTES + segments + sizes.reduce((sum, size) => sum + size, 0)
}

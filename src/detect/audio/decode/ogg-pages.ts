/** Header of an Ogg page without its list of segment sizes (RFC 3533, section 6). */
const HEADER_BYTES = 27
const CAPTURE_PATTERN = Buffer.from('OggS')

/**
 * Whole pages of an Ogg file. What lies between or behind them is passed over, and a page that was cut off is left out:
 * the decoders take its missing bytes for sound.
 */
export async function* oggPages(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
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
      pages.push(bytes.subarray(0, size))
      bytes = bytes.subarray(size)
    }
    if (pages.length > 0) yield Buffer.concat(pages)
  }
}

/** Length of the page that begins here; null where its header is not whole. */
function pageBytes(bytes: Buffer): number | null {
  const segments = bytes[HEADER_BYTES - 1]
  if (segments === undefined || bytes.length < HEADER_BYTES + segments) return null
  const sizes = bytes.subarray(HEADER_BYTES, HEADER_BYTES + segments)
  return HEADER_BYTES + segments + sizes.reduce((sum, size) => sum + size, 0)
}

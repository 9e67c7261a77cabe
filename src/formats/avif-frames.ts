import type { FileBytes } from './file-bytes.js'
import type { Mp4Index } from './mp4-index.js'

/** Units of AV1 that begin a frame: its header by itself, or with its tiles (AV1 specification, 6.2.2). */
const BEGINS_FRAME = [3, 6]
/** Most pieces in which an item lies; encoders write one, or one for each layer. */
const MOST_PIECES = 16

/**
 * Whether each AV1 item of an AVIF is known to hold one frame (ISO/IEC 14496-12, 8.11.3; AV1 Image File Format, 2.1). Of several,
 * as those of a picture in layers, programs differ in which they show. An AVIF that lists no items has none to differ in.
 */
export function hasOneFrameEach(bytes: FileBytes, index: Mp4Index): boolean {
  const [list, ...others] = index.places('iloc')
  if (list === undefined) return true
  const items = [...index.places('infe')]
  const coded = new Set(items.filter((at) => index.text(at + 12) === 'av01').map((at) => index.half(at + 8)))
  const versionAt = (box: number) => index.half(box + 4) >> 8
  const version = versionAt(list)
  // Others number items by 32 bits, for thousands of pictures, or are those of early drafts.
  if (others.length > 0 || version > 1 || items.some((at) => versionAt(at) !== 2)) return false
  const sizeAt = (bit: number) => (index.half(list + 8) >> bit) & 15
  const [offsetBytes, lengthBytes, baseBytes] = [sizeAt(12), sizeAt(8), sizeAt(4)]
  const numberBytes = version === 0 ? 0 : sizeAt(0)
  // Equal tiles may lie in one place; items of a hostile file may all be the whole of it.
  let unread = 16 * bytes.size
  let at = list + 12
  const next = (size: number) => {
    at += size
    return index.sized(at - size, size)
  }
  for (let left = index.half(list + 10); left > 0; left--) {
    const item = next(2)
    const method = version === 0 ? 0 : next(2) & 15
    next(2)
    const base = next(baseBytes)
    const pieces = next(2)
    if (pieces > MOST_PIECES) return false
    const content: Buffer[] = []
    for (let piece = 0; piece < pieces; piece++) {
      next(numberBytes)
      const offset = base + next(offsetBytes)
      const length = next(lengthBytes) || bytes.size
      if (!coded.has(item)) continue
      content.push(bytes.read(Math.min(offset, bytes.size), length))
      unread -= length
      if (unread < 0) return false
    }
    if (coded.has(item) && (method !== 0 || framesIn(Buffer.concat(content)) !== 1)) return false
  }
  return true
}

function framesIn(content: Buffer): number {
  let frames = 0
  for (let at = 0; at < content.length; ) {
    const head = content[at] as number
    if (BEGINS_FRAME.includes((head >> 3) & 15)) frames += 1
    at += (head & 4) === 0 ? 1 : 2
    // A unit without a size is the last one.
    if ((head & 2) === 0) break
    let size = 0
    for (let shift = 0; shift < 56; shift += 7) {
      const byte = content[at++] ?? 0
      size += (byte & 127) * 2 ** shift
      if (byte < 128) break
    }
    at += size
  }
  return frames
}

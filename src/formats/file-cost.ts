import { stat } from 'node:fs/promises'
import { readAt } from '../core/files.js'
import type { MediaType } from '../core/media-types.js'
import { statedSeconds } from './sound-length.js'

/** Pictures of more are costly: decoding takes as long as the network (`npm run bench:cost`). */
const COSTLY_PIXELS = 24_000_000
/** Recordings of more are costly, seconds. */
const COSTLY_SECONDS = 30
/** Recordings that do not state their length, by their size: half a minute of MP3 at 128 kbit/s. */
const COSTLY_SOUND_BYTES = 480_000

/**
 * Whether a file takes longer than most of its kind to be scored, by what its header states: a few reads and no decoder, so
 * it can be asked where hostile bytes must not be decoded. A false answer costs a place in a line, never a score.
 */
export async function isCostlyFile(file: string, mediaType: MediaType): Promise<boolean> {
  switch (mediaType) {
    case 'text':
      return false
    case 'image':
      return ((await statedPixels(file)) ?? Number.POSITIVE_INFINITY) > COSTLY_PIXELS
    case 'audio': {
      const seconds = await statedSeconds(file)
      return seconds === null ? (await stat(file)).size > COSTLY_SOUND_BYTES : seconds > COSTLY_SECONDS
    }
    case 'video_short':
    case 'video_long':
      return true
  }
}

/** Enough for the header of every format but a JPEG behind a large thumbnail. */
const HEAD_BYTES = 4096
/** Segments of a JPEG that are walked over in search of its size. */
const MOST_SEGMENTS = 64

/** Width and height, px. */
type Size = readonly [width: number, height: number]

/**
 * Pixels of a picture by its header alone: PNG, JPEG, WebP, GIF, AVIF. As the file states it, so not to be relied on.
 * @returns null for other formats, and where the size is not found
 */
export async function statedPixels(file: string): Promise<number | null> {
  const head = await readAt(file, 0, HEAD_BYTES)
  const size = head.length >= 32 ? await sizeOf(head, file) : null
  return size === null ? null : size[0] * size[1]
}

async function sizeOf(head: Buffer, file: string): Promise<Size | null> {
  if (head.toString('latin1', 1, 4) === 'PNG') return [head.readUInt32BE(16), head.readUInt32BE(20)]
  if (head.toString('latin1', 0, 3) === 'GIF') return [head.readUInt16LE(6), head.readUInt16LE(8)]
  if (head.readUInt16BE(0) === 0xffd8) return jpegSize(file)
  if (head.toString('latin1', 8, 12) === 'WEBP') return webpSize(head)
  return head.toString('latin1', 4, 8) === 'ftyp' ? avifSize(head) : null
}

/** From the first frame header (SOF). */
async function jpegSize(file: string): Promise<Size | null> {
  let at = 2
  for (let count = 0; count < MOST_SEGMENTS; count++) {
    const segment = await readAt(file, at, 9)
    if (segment.length < 9 || segment[0] !== 0xff) return null
    const marker = segment.readUInt8(1)
    // C4, C8 and CC are tables among the frame headers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return [segment.readUInt16BE(7), segment.readUInt16BE(5)]
    at += 2 + segment.readUInt16BE(2)
  }
  return null
}

/** Of the canvas, the lossless or the lossy frame: RFC 9649. */
function webpSize(head: Buffer): Size | null {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1]
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1]
    }
    case 'VP8 ':
      return [head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff]
    default:
      return null
  }
}

/** The largest of the image sizes (ispe) in its index, which of a grid also lists the size of its tiles. */
function avifSize(head: Buffer): Size | null {
  let largest: Size | null = null
  for (let at = head.indexOf('ispe'); at !== -1 && at + 16 <= head.length; at = head.indexOf('ispe', at + 4)) {
    const size = [head.readUInt32BE(at + 8), head.readUInt32BE(at + 12)] as const
    if (largest === null || size[0] * size[1] > largest[0] * largest[1]) largest = size
  }
  return largest
}

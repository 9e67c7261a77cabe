import type { FileBytes } from './file-bytes.js'

/** Most chunks, boxes or segments of one file that are walked over; a picture of 64 Mpx in 8 KiB chunks has fewer. */
const MAX_BLOCKS = 20_000

/** A chunk, box or segment of a container: where its content lies. */
export interface ContainerBlock {
  /** Four characters (PNG, RIFF, ISO base media), or the marker in hex (JPEG: `eb` is APP11). */
  readonly type: string
  readonly offset: number
  readonly length: number
}

type Walk = (bytes: FileBytes) => Generator<ContainerBlock>

/** Chunks of a PNG up to its end, those behind the pixels included. */
export function* pngBlocks(bytes: FileBytes): Generator<ContainerBlock> {
  let at = 8
  for (let count = 0; count < MAX_BLOCKS && at + 12 <= bytes.size; count++) {
    const head = bytes.read(at, 8)
    const length = head.readUInt32BE(0)
    yield { type: head.toString('latin1', 4, 8), offset: at + 8, length }
    at += 12 + length
  }
}

/** Segments of a JPEG up to the pixels, or to a byte that fills a gap. */
export function* jpegBlocks(bytes: FileBytes): Generator<ContainerBlock> {
  let at = 2
  for (let count = 0; count < MAX_BLOCKS && at + 4 <= bytes.size; count++) {
    const head = bytes.read(at, 4)
    const marker = head.readUInt8(1)
    if (head.readUInt8(0) !== 0xff || [0xff, 0xda, 0xd9].includes(marker)) return
    const length = head.readUInt16BE(2)
    yield { type: marker.toString(16), offset: at + 4, length: Math.max(0, length - 2) }
    at += 2 + Math.max(2, length)
  }
}

/** Chunks of a RIFF file (WebP, WAV, AVI), top level only. */
function* riffBlocks(bytes: FileBytes): Generator<ContainerBlock> {
  let at = 12
  for (let count = 0; count < MAX_BLOCKS && at + 8 <= bytes.size; count++) {
    const head = bytes.read(at, 8)
    const length = head.readUInt32LE(4)
    yield { type: head.toString('latin1', 0, 4), offset: at + 8, length }
    at += 8 + length + (length % 2)
  }
}

/** Boxes of an ISO base media file (MP4, MOV, AVIF), top level only. */
export function* isoBlocks(bytes: FileBytes): Generator<ContainerBlock> {
  let at = 0
  for (let count = 0; count < MAX_BLOCKS && at + 8 <= bytes.size; count++) {
    const head = bytes.read(at, 16)
    const short = head.readUInt32BE(0)
    if (short === 1 && head.length < 16) return
    const headLength = short === 1 ? 16 : 8
    const size = short === 0 ? bytes.size - at : short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (size < headLength) return
    yield { type: head.toString('latin1', 4, 8), offset: at + headLength, length: size - headLength }
    at += size
  }
}

/** How the blocks of a file of this MIME type are found; null where there is no way. */
export function walkOf(mime: string | null): Walk | null {
  if (mime === 'image/png' || mime === 'image/apng') return pngBlocks
  if (mime === 'image/jpeg') return jpegBlocks
  if (mime === 'image/webp' || mime === 'audio/wav' || mime === 'video/vnd.avi') return riffBlocks
  return mime !== null && ISO_MIME.test(mime) ? isoBlocks : null
}

const ISO_MIME = /^(image\/(avif|hei[cf])|(video|audio)\/(mp4|quicktime|x-m4[av]|3gpp2?))/

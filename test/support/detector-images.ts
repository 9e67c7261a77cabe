import { crc32 } from 'node:zlib'
import sharp, { type Color, type Sharp } from 'sharp'

/** Pixels that no codec finds easy, the same on every run: a hash of the position. */
export function noisePixels(width: number, height: number): Buffer {
  const pixels = Buffer.alloc(width * height * 3)
  let state = 0x9e3779b9
  for (let index = 0; index < pixels.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    pixels[index] = state >>> 24
  }
  return pixels
}

export function noise(width = 120, height = 80): Sharp {
  return sharp(noisePixels(width, height), { raw: { width, height, channels: 3 } })
}

export function plain(background: Color, width = 120, height = 80): Sharp {
  return sharp({ create: { width, height, channels: 3, background } })
}

/** Two frames: the first white, the second black. */
export function twoFrames(): Sharp {
  const frames = Buffer.concat([Buffer.alloc(64 * 64 * 3, 255), Buffer.alloc(64 * 64 * 3, 0)])
  return sharp(frames, { raw: { width: 64, height: 128, channels: 3, pageHeight: 64 } })
}

/** A PNG that claims a size and holds almost no pixels. */
export function pngClaiming(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = Buffer.from('789c63000000010001', 'hex')
  return Buffer.concat([
    signature,
    pngChunk('IHDR', header),
    pngChunk('IDAT', pixels),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A PNG chunk with its length and checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** The first box of an ISO base media file with the given brand, and nothing behind it. */
export function isoMedia(brand: string): Buffer {
  const box = Buffer.alloc(28)
  box.writeUInt32BE(28, 0)
  box.write(`ftyp${brand}`, 4)
  box.write(brand, 16)
  box.write('mif1', 20)
  return Buffer.concat([box, Buffer.alloc(100)])
}

/** An ID3 tag and an MPEG audio frame header. */
export function mp3(): Buffer {
  return Buffer.concat([Buffer.from('49443303000000000000', 'hex'), Buffer.from('fffb9064', 'hex'), Buffer.alloc(2000)])
}

import zlib from 'node:zlib'
import sharp from 'sharp'

/** A progressive JPEG in 90 scans, of which libvips reads at most 100, each a pass over all blocks in some 30 bytes. @param side px */
export async function manyScans(side: number): Promise<Buffer> {
  const plain = sharp({ create: { width: side, height: side, channels: 3, background: '#777' } })
  const jpeg = await plain.toColourspace('b-w').jpeg({ quality: 1, progressive: true }).toBuffer()
  const segments = segmentsOf(jpeg)
  const scans = segments.filter(([, marker]) => marker === 0xda)
  const [first, coded] = scans as [Buffer, Buffer]
  const before = segments.slice(0, segments.indexOf(first))
  const table = segments[segments.indexOf(coded) - 1]!
  const whole = Buffer.from(first)
  whole.writeUInt8(0, 9)
  const coefficients = Array.from({ length: 63 }, (_, index) => index + 1)
  const rough = coefficients.map((one) => scanOf(coded, one, 0x01))
  const exact = coefficients.slice(0, 26).map((one) => scanOf(coded, one, 0x10))
  return Buffer.concat([jpeg.subarray(0, 2), ...before, whole, table, ...rough, ...exact, Buffer.of(0xff, 0xd9)])
}

/** Of one coefficient, with the bits that are sent of it: ITU T.81, B.2.3. */
function scanOf(coded: Buffer, coefficient: number, bits: number): Buffer {
  const scan = Buffer.from(coded)
  scan.set([coefficient, coefficient, bits], 7)
  return scan
}

function segmentsOf(jpeg: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = 2; jpeg[at + 1] !== 0xd9; ) {
    const isScan = jpeg[at + 1] === 0xda
    let end = at + 2 + jpeg.readUInt16BE(at + 2)
    if (isScan) while (!(jpeg[end] === 0xff && jpeg[end + 1] !== 0)) end += 1
    found.push(jpeg.subarray(at, end))
    at = end
  }
  return found
}

/** A TIFF of floats whose strips are all the same bytes of the file. @param side px */
export function sharedStrips(side: number): Buffer {
  const [samples, rows] = [4, 16]
  const strips = Math.ceil(side / rows)
  const data = zlib.deflateSync(Buffer.alloc(side * rows * samples * 4, 0x3c))
  const tags: readonly [tag: number, values: number[]][] = [
    [256, [side]],
    [257, [side]],
    [258, Array(samples).fill(32)],
    [259, [8]],
    [262, [2]],
    [273, Array(strips).fill(0)],
    [277, [samples]],
    [278, [rows]],
    [279, Array(strips).fill(data.length)],
    [339, Array(samples).fill(3)],
  ]
  const listsAt = 8 + 2 + tags.length * 12 + 4
  const dataAt = listsAt + tags.reduce((sum, [, { length }]) => sum + (length > 1 ? length * 4 : 0), 0)
  tags[5]![1].fill(dataAt)
  const head = Buffer.alloc(dataAt)
  head.write('II*\0\x08', 'latin1')
  head.writeUInt16LE(tags.length, 8)
  let listAt = listsAt
  for (const [index, [tag, values]] of tags.entries()) {
    const at = 10 + index * 12
    head.writeUInt16LE(tag, at)
    head.writeUInt16LE(4, at + 2)
    head.writeUInt32LE(values.length, at + 4)
    head.writeUInt32LE(values.length > 1 ? listAt : values[0]!, at + 8)
    if (values.length > 1) for (const value of values) listAt = head.writeUInt32LE(value, listAt)
  }
  return Buffer.concat([head, data])
}

/** An animated WebP of one color, the same frame again and again: RFC 9649. @param side px @param frames how many */
export async function manyFramesWebp(side: number, frames: number): Promise<Buffer> {
  const plain = sharp({ create: { width: side, height: side, channels: 3, background: '#777' } })
  const picture = (await plain.webp({ lossless: true, effort: 0 }).toBuffer()).subarray(12)
  const canvas = Buffer.alloc(10)
  canvas.writeUInt8(2, 0)
  canvas.writeUIntLE(side - 1, 4, 3)
  canvas.writeUIntLE(side - 1, 7, 3)
  const place = Buffer.alloc(16)
  place.writeUIntLE(side - 1, 6, 3)
  place.writeUIntLE(side - 1, 9, 3)
  const frame = chunk('ANMF', Buffer.concat([place, picture]))
  const chunks = [chunk('VP8X', canvas), chunk('ANIM', Buffer.alloc(6)), ...Array<Buffer>(frames).fill(frame)]
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
}

function chunk(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

/** A GIF of frames of one pixel on a large canvas. @param side px @param frames how many */
export function manyFramesGif(side: number, frames: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(side, 6)
  head.writeUInt16LE(side, 8)
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.of(0x3b)])
}

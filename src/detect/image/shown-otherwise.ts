import { crc32 } from 'node:zlib'
import { AttestdError } from '../../core/errors.js'
import { hasOneFrameEach } from '../../formats/avif-frames.js'
import { type ContainerBlock, jpegBlocks, pngBlocks } from '../../formats/blocks.js'
import { type FileBytes, withFileBytes } from '../../formats/file-bytes.js'
import { type Mp4Index, mp4IndexIn } from '../../formats/mp4-index.js'
import type { ImageFormat } from './image-format.js'

/** Chunks and segments in front of the pixels that are walked over; an ordinary file has a few dozen. */
const MOST_CHUNKS = 2000
/** Largest color profile of a PNG, bytes, packed; those of printers take half a megabyte. */
const MAX_PROFILE_BYTES = 4 * 1024 ** 2
/** In which a PNG states its colors. */
const COLOR_CHUNKS = ['cICP', 'iCCP', 'sRGB', 'gAMA', 'cHRM']
/** A PNG's gamma times 100,000 that changes little beyond what encoders of sRGB (45,455) and old Macs (55,556) state. */
const GAMMA = [40_000, 60_000] as const
/** Red, green and blue primaries of sRGB, times 100,000. Adobe RGB, P3 and BT.2020 lie nearer to them than `NEAR`. */
const PRIMARIES = [64_000, 33_000, 30_000, 60_000, 15_000, 6000]
const NEAR = 20_000
/**
 * Transfer functions (ITU-T H.273, table 3) that look about the same without their conversion: those of SDR television
 * and sRGB, none stated, and HLG, which is made to be shown without it. Linear, logarithmic and PQ do not.
 */
const PLAIN_TRANSFERS = [1, 2, 4, 5, 6, 13, 14, 15, 18]
/** Primaries that are those of no screen, but the axes of CIE 1931. */
const XYZ_PRIMARIES = 10
/** Matrices (ITU-T H.273, table 4) that browsers and libheif apply alike. */
const PLAIN_MATRICES = [0, 1, 2, 4, 5, 6, 7, 8, 9, 12]
/** Number of a part of a JPEG's color profile, and of all its parts. */
const ONE_OF_ONE = 0x0101
/** A tag of EXIF, and the type that it has there: a number of 16 bits. */
const ORIENTATION = 0x0112
const SHORT = 3
/** Behind it come the pixels of a JPEG. */
const START_OF_SCAN = Buffer.of(0xff, 0xda)

/**
 * Refuses a picture that browsers show otherwise than libvips decodes it, so that nobody can show one picture to people and
 * another one to the detector: an animated PNG, colors that libvips does not convert, a cut-out that browsers do not apply.
 * @throws AttestdError media-unsupported, media-too-complex
 */
export async function refuseShownOtherwise(file: string, format: ImageFormat): Promise<void> {
  if (format === 'png') await withFileBytes(file, refusePng)
  if (format === 'heif') await withFileBytes(file, refuseAvif)
}

/** Browsers take the first of cICP, iCCP, sRGB, gAMA with cHRM that they can use; libvips knows iCCP alone. */
function refusePng(bytes: FileBytes): void {
  const found = new Set<string>()
  for (const { type, offset, length } of inFront(pngBlocks(bytes))) {
    const content = bytes.read(offset, 32)
    // A file that ends here is for the decoder to refuse.
    if (type === 'IDAT' || content.length < 32) return
    if (type === 'acTL') throw unsupported('is an animated PNG')
    if (COLOR_CHUNKS.includes(type) && found.has(type)) throw unsupported('states its colors twice')
    found.add(type)
    if (type === 'cICP') refuseCoding(content[0] as number, content[1] as number, content[2] as number)
    if (found.has('cICP') && found.has('iCCP')) throw unsupported('states its colors twice')
    if (type === 'iCCP' && !isWhole(bytes, offset, length)) throw unsupported('has a damaged color profile')
    if (type === 'gAMA') refuseGamma(content.readUInt32BE(0))
    if (type === 'cHRM') refusePrimaries(content)
  }
}

/** @throws AttestdError media-too-complex */
function* inFront(blocks: Iterable<ContainerBlock>): Iterable<ContainerBlock> {
  let count = 0
  for (const block of blocks) {
    if (count++ === MOST_CHUNKS) throw tooComplex()
    yield block
  }
}

/** Whether a chunk has its checksum; libvips takes a profile without it, browsers do not. */
function isWhole(bytes: FileBytes, offset: number, length: number): boolean {
  if (length > MAX_PROFILE_BYTES) return false
  const body = bytes.read(offset - 4, 4 + length + 4)
  return body.length === length + 8 && crc32(body.subarray(0, -4)) === body.readUInt32BE(length + 4)
}

function refuseGamma(gamma: number): void {
  if (gamma < GAMMA[0] || gamma > GAMMA[1]) throw unsupported(`states a gamma of ${gamma / 100_000}`)
}

function refusePrimaries(content: Buffer): void {
  // White comes first.
  const isNear = PRIMARIES.every((value, index) => Math.abs(value - content.readUInt32BE(8 + 4 * index)) <= NEAR)
  if (!isNear) throw unsupported('states unusual primary colors')
}

/**
 * The color profile of a JPEG: one in a single part, which all decoders find. Unusual are parts of which some decoders make
 * another profile than others, and an orientation of which some make none.
 * @throws AttestdError media-too-complex
 */
export const jpegProfile = (file: string): Promise<'none' | 'one' | 'unusual'> =>
  withFileBytes(file, (bytes) => {
    let found: 'none' | 'one' = 'none'
    let end = 2
    for (const { offset, length } of inFront(jpegBlocks(bytes))) {
      const content = bytes.read(offset, 14)
      if (content.toString('latin1', 0, 6) === 'Exif\0\0' && turnsUnusually(bytes.read(offset + 6, length - 6)))
        return 'unusual'
      if (content.toString('latin1', 0, 11) === 'ICC_PROFILE') {
        if (found === 'one' || content.length < 14 || content.readUInt16BE(12) !== ONE_OF_ONE) return 'unusual'
        found = 'one'
      }
      end = offset + length
    }
    // Decoders look for the next marker behind bytes that fill a gap, or belong nowhere.
    return end + 4 > bytes.size || bytes.read(end, 2).equals(START_OF_SCAN) ? found : 'unusual'
  })

/** Whether EXIF states an orientation as another type than one number of 16 bits: libvips takes it, browsers do not. */
function turnsUnusually(exif: Buffer): boolean {
  const isLittle = exif[0] === 0x49
  const half = (at: number) => (at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at))
  // An offset of 32 bits, of a block that has no more than 16.
  const list = half(isLittle ? 4 : 6)
  return Array.from({ length: half(list) }, (_, nth) => list + 2 + 12 * nth).some((at) => {
    const count = half(at + (isLittle ? 4 : 6))
    return half(at) === ORIENTATION && (half(at + 2) !== SHORT || count !== 1)
  })
}

function refuseAvif(bytes: FileBytes): void {
  if (mp4IndexIn(bytes, 'moov') !== null) throw unsupported('is an animation')
  const index = mp4IndexIn(bytes, 'meta')
  if (index === null) return
  for (const at of index.places('colrnclx')) refuseCoding(index.half(at + 8), index.half(at + 10), index.half(at + 12))
  const largest = (from: number) => Math.max(0, ...[...index.places('ispe')].map((at) => index.number(at + from)))
  const [width, height] = [largest(8), largest(12)]
  // Encoders add a pixel to odd sides and cut it away again.
  if (index.apertures.some(([across, down]) => !(width - across <= 1 && height - down <= 1)))
    throw unsupported('is cut out by its container')
  const [turned, mirrored, premultiplied] = ['irot', 'imir', 'prem'].map((name) => [...index.places(name)].length)
  if ((turned as number) + (mirrored as number) > 1) throw unsupported('is turned twice')
  if (premultiplied !== 0) throw unsupported('has colors that are multiplied by how opaque they are')
  refusePart(index)
  if (!hasOneFrameEach(bytes, index)) throw unsupported('is not coded as one frame')
}

/** Browsers show the picture that is named as the first, libvips one that is no part of another: a tile, a thumbnail, a mask. */
function refusePart(index: Mp4Index): void {
  const [first, ...others] = index.places('pitm')
  if (first === undefined) return
  const id = index.half(first + 8)
  const tiles = [...index.places('dimg')].flatMap((at) =>
    Array.from({ length: index.half(at + 6) }, (_, nth) => index.half(at + 8 + 2 * nth)),
  )
  const parts = ['thmb', 'auxl'].flatMap((name) => [...index.places(name)].map((at) => index.half(at + 4)))
  // Numbers of 32 bits, of which only thousands of pictures have need, are not read.
  const isLong = [first, ...index.places('iref')].some((at) => index.number(at + 4) !== 0)
  if (others.length > 0 || isLong || [...tiles, ...parts].includes(id)) throw unsupported('is a part of another one')
}

/** Refuses colors by their numbers of ITU-T H.273. */
function refuseCoding(primaries: number, transfer: number, matrix: number): void {
  if (!PLAIN_TRANSFERS.includes(transfer)) throw unsupported('has HDR or linear colors')
  if (primaries === XYZ_PRIMARIES || !PLAIN_MATRICES.includes(matrix)) throw unsupported('states unusual colors')
}

const unsupported = (what: string): AttestdError =>
  new AttestdError('media-unsupported', `The picture ${what}: it may be shown otherwise than it is decoded.`)

const tooComplex = (): AttestdError =>
  new AttestdError('media-too-complex', 'The picture has more parts in front of its pixels than are looked through.')

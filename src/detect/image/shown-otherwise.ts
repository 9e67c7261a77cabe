import { crc32 } from 'node:zlib'
import { AttestdError } from '../../core/errors.js'
import { readAt } from '../../core/files.js'
import { findMp4Box } from '../../formats/mp4-index.js'
import type { ImageFormat } from './image-format.js'

/** Chunks and segments in front of the pixels that are walked over; an ordinary file has a few dozen. */
const MOST_CHUNKS = 2000
/** Largest color profile of a PNG, bytes, packed; those of printers take half a megabyte. */
const MAX_PROFILE_BYTES = 4 * 1024 ** 2
/** Largest index of an AVIF that is looked through, bytes. */
const MAX_INDEX_BYTES = 4 * 1024 ** 2
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
/** Number of a part of a JPEG's color profile, and of all its parts. */
const ONE_OF_ONE = 0x0101

/**
 * Refuses a picture that browsers show otherwise than libvips decodes it, so that nobody can show one picture to people and
 * another one to the detector: an animated PNG, colors that libvips does not convert, a cut-out that browsers do not apply.
 * @throws AttestdError media-unsupported, media-too-complex
 */
export async function refuseShownOtherwise(file: string, format: ImageFormat): Promise<void> {
  if (format === 'png') await refusePng(file)
  if (format === 'heif') await refuseAvif(file)
}

/** Browsers take the first of cICP, iCCP, sRGB, gAMA with cHRM that they can use; libvips knows iCCP alone. */
async function refusePng(file: string): Promise<void> {
  const found = new Set<string>()
  for await (const { name, content, at, bytes } of pngChunks(file)) {
    if (name === 'acTL') throw unsupported('is an animated PNG')
    if (COLOR_CHUNKS.includes(name) && found.has(name)) throw unsupported('states its colors twice')
    found.add(name)
    if (name === 'cICP' && !PLAIN_TRANSFERS.includes(content[1] as number))
      throw unsupported('has HDR or linear colors')
    if (name === 'iCCP' && !(await isWhole(file, at, bytes))) throw unsupported('has a damaged color profile')
    if (name === 'gAMA') refuseGamma(content.readUInt32BE(0))
    if (name === 'cHRM') refusePrimaries(content)
  }
}

/** Whether a chunk has its checksum; libvips takes a profile without it, browsers do not. */
async function isWhole(file: string, at: number, bytes: number): Promise<boolean> {
  if (bytes > MAX_PROFILE_BYTES) return false
  const body = await readAt(file, at + 4, 4 + bytes + 4)
  return body.length === bytes + 8 && crc32(body.subarray(0, -4)) === body.readUInt32BE(bytes + 4)
}

function refuseGamma(gamma: number): void {
  if (gamma < GAMMA[0] || gamma > GAMMA[1]) throw unsupported(`states a gamma of ${gamma / 100_000}`)
}

function refusePrimaries(content: Buffer): void {
  // White comes first.
  const isNear = PRIMARIES.every((value, index) => Math.abs(value - content.readUInt32BE(8 + 4 * index)) <= NEAR)
  if (!isNear) throw unsupported('states unusual primary colors')
}

interface PngChunk {
  readonly name: string
  readonly content: Buffer
  /** Byte of the file at which it begins. */
  readonly at: number
  /** Of its content. */
  readonly bytes: number
}

/** Those in front of the pixels, with the first 32 bytes of each: of its content, and of what follows. */
async function* pngChunks(file: string): AsyncGenerator<PngChunk, void, undefined> {
  let at = 8
  for (let count = 0; count < MOST_CHUNKS; count++) {
    const chunk = await readAt(file, at, 40)
    const name = chunk.toString('latin1', 4, 8)
    // A file that ends here is for the decoder to refuse.
    if (chunk.length < 40 || name === 'IDAT') return
    const bytes = chunk.readUInt32BE(0)
    yield { name, content: chunk.subarray(8), at, bytes }
    at += 12 + bytes
  }
  throw tooComplex()
}

/**
 * The color profile of a JPEG: one in a single part, which all decoders find; or parts of which some make another one than others.
 * @throws AttestdError media-too-complex
 */
export async function jpegProfile(file: string): Promise<'none' | 'one' | 'unusual'> {
  let found: 'none' | 'one' = 'none'
  let at = 2
  for (let count = 0; count < MOST_CHUNKS; count++) {
    const segment = await readAt(file, at, 18)
    // Behind the start of a scan (DA) come the pixels. A file that ends here is for the decoder to refuse.
    if (segment.length < 18 || (segment[0] === 0xff && segment[1] === 0xda)) return found
    // Decoders look for the next marker behind bytes that fill a gap, or belong nowhere.
    if (segment[0] !== 0xff || segment[1] === 0xff) return 'unusual'
    if (segment.toString('latin1', 4, 15) === 'ICC_PROFILE') {
      if (found === 'one' || segment.readUInt16BE(16) !== ONE_OF_ONE) return 'unusual'
      found = 'one'
    }
    at += 2 + segment.readUInt16BE(2)
  }
  throw tooComplex()
}

async function refuseAvif(file: string): Promise<void> {
  const box = await findMp4Box(file, 'meta')
  if (box === null) return
  if (box.size > MAX_INDEX_BYTES) throw tooComplex()
  // With room for what is read behind a name at its end.
  const index = Buffer.concat([await readAt(file, box.offset, box.size), Buffer.alloc(24)])
  for (const at of placesOf(index, 'colrnclx')) {
    if (!PLAIN_TRANSFERS.includes(index.readUInt16BE(at + 10))) throw unsupported('has HDR or linear colors')
  }
  const sides = placesOf(index, 'ispe').map((at) => [index.readUInt32BE(at + 8), index.readUInt32BE(at + 12)] as const)
  for (const at of placesOf(index, 'clap')) {
    // Numerators and denominators. Encoders add a pixel to odd sides and cut it away again.
    const [width, height] = [4, 12].map((from) => index.readUInt32BE(at + from) / index.readUInt32BE(at + from + 4))
    const isPixel = sides.some(([w, h]) => w - (width as number) <= 1 && h - (height as number) <= 1)
    if (!isPixel) throw unsupported('is cut out by its container')
  }
}

function placesOf(index: Buffer, name: string): number[] {
  const places: number[] = []
  const end = index.length - 24
  for (let at = index.indexOf(name); at !== -1 && at < end; at = index.indexOf(name, at + 4)) places.push(at)
  return places
}

const unsupported = (what: string): AttestdError =>
  new AttestdError('media-unsupported', `The picture ${what}: it may be shown otherwise than it is decoded.`)

const tooComplex = (): AttestdError =>
  new AttestdError('media-too-complex', 'The picture has more parts in front of its pixels than are looked through.')

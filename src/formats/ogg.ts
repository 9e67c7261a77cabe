import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readAt } from '../core/files.js'

/** Header of an Ogg page without its list of segment sizes (RFC 3533, section 6). */
const HEADER_BYTES = 27
const MOST_SEGMENTS = 255
/** Two pages of the longest kind: wherever one reads so much, a page begins and is whole. */
const TWO_PAGES_BYTES = 2 * 65_307
/** How each page begins. */
export const CAPTURE_PATTERN = 'OggS'
/** With its version, and where its flags stand. */
const PAGE_START = `${CAPTURE_PATTERN}\0`
const FLAGS_AT = 5
/** Flags: the first packet of the page began on another one; the page is the first of its stream. */
const CONTINUED = 1
const BEGINS = 2
/** Position of a page on which no packet ends. */
const NO_GRANULE = -1n
/** Pages of tags and pictures that are walked over; of more, nothing is known. */
const MOST_HEADER_PAGES = 400

/** A page of an Ogg file without its content. */
export interface OggPage {
  readonly isContinued: boolean
  readonly isFirst: boolean
  readonly granule: bigint
  readonly serial: number
  /** Sizes of the segments; 255 means that the packet goes on. */
  readonly segments: Uint8Array
  /** Of header and content. */
  readonly bytes: number
}

/** What the pages in front and behind state of an Ogg file with one stream of sound. */
export interface OggFacts {
  /** Bytes of the pages with the codec's headers: the sound begins behind. */
  readonly headBytes: number
  readonly serial: number
  readonly seconds: number
}

/** Reads the header of a page; null where none begins here or it is not whole. */
export function oggPageAt(bytes: Buffer, at = 0): OggPage | null {
  const count = bytes[at + HEADER_BYTES - 1]
  const end = at + HEADER_BYTES + (count ?? 0)
  if (count === undefined || end > bytes.length || bytes.toString('latin1', at, at + 4) !== CAPTURE_PATTERN) return null
  const segments = bytes.subarray(at + HEADER_BYTES, end)
  const flags = bytes.readUInt8(at + FLAGS_AT)
  return {
    isContinued: (flags & CONTINUED) !== 0,
    isFirst: (flags & BEGINS) !== 0,
    granule: bytes.readBigInt64LE(at + 6),
    serial: bytes.readUInt32LE(at + 14),
    segments,
    bytes: end - at + segments.reduce((sum, size) => sum + size, 0),
  }
}

/** Facts of an Opus, Vorbis or FLAC stream in Ogg, from a few reads; null where they are not to be found, or it has several streams. */
export async function oggFacts(file: string): Promise<OggFacts | null> {
  const first = await readAt(file, 0, 128)
  const rate = rateOf(first.subarray(HEADER_BYTES + (first[HEADER_BYTES - 1] ?? 0)))
  const serial = oggPageAt(first)?.serial
  if (rate === 0 || serial === undefined) return null
  const head = await walkHead(file, serial)
  if (head === null) return null
  const { size } = await stat(file)
  const tail = await readAt(file, Math.max(0, size - TWO_PAGES_BYTES), TWO_PAGES_BYTES)
  const last = pagesIn(tail).findLast(({ page }) => page.serial === serial && page.granule !== NO_GRANULE)
  const seconds = Number((last?.page.granule ?? 0n) - head.granule) / rate
  return last === undefined || seconds < 0 ? null : { headBytes: head.bytes, serial, seconds }
}

/** Where the first page at or behind a byte begins whose first packet begins there too; null where none is near. */
export async function findOggPage(file: string, from: number, serial: number): Promise<number | null> {
  const bytes = await readAt(file, from, TWO_PAGES_BYTES)
  const found = pagesIn(bytes).find(({ page }) => page.serial === serial && !page.isContinued)
  return found === undefined ? null : from + found.at
}

/** Whether a recording begins behind another one; the streams of one all begin in front of their content. */
export async function isChained(file: string): Promise<boolean> {
  let isBehind = false
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk])
    const last = bytes.length - FLAGS_AT
    for (let at = bytes.indexOf(PAGE_START); at !== -1 && at < last; at = bytes.indexOf(PAGE_START, at + 1)) {
      const begins = (bytes.readUInt8(at + FLAGS_AT) & BEGINS) !== 0
      if (begins && isBehind) return true
      isBehind ||= !begins
    }
    rest = bytes.subarray(Math.max(0, last))
  }
  return false
}

/** Samples a second by the first packet: RFC 7845 (always 48 kHz), Vorbis I 4.2.2, the FLAC-to-Ogg mapping; 0 for others. */
function rateOf(packet: Buffer): number {
  if (packet.toString('latin1', 0, 8) === 'OpusHead') return 48_000
  if (packet.toString('latin1', 0, 7) === '\u0001vorbis' && packet.length >= 16) return packet.readUInt32LE(12)
  const isFlac = packet.toString('latin1', 0, 5) === '\u007fFLAC' && packet.length >= 31
  return isFlac ? packet.readUIntBE(27, 3) >> 4 : 0
}

/** Length of the pages in front of the sound, and the position at the end of the first page of sound. */
async function walkHead(file: string, serial: number): Promise<{ bytes: number; granule: bigint } | null> {
  let at = 0
  for (let count = 0; count < MOST_HEADER_PAGES; count++) {
    const page = oggPageAt(await readAt(file, at, HEADER_BYTES + MOST_SEGMENTS))
    if (page === null || page.serial !== serial) return null
    if (page.granule > 0n) return { bytes: at, granule: page.granule }
    at += page.bytes
  }
  return null
}

function pagesIn(bytes: Buffer): { at: number; page: OggPage }[] {
  const pages: { at: number; page: OggPage }[] = []
  for (let at = bytes.indexOf(CAPTURE_PATTERN); at !== -1; at = bytes.indexOf(CAPTURE_PATTERN, at + 1)) {
    const page = oggPageAt(bytes, at)
    if (page !== null) pages.push({ at, page })
  }
  return pages
}

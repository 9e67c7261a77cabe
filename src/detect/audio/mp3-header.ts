/** What the first frame of an MPEG audio stream (layers I to III) states. */
export interface Mp3Header {
  readonly isMono: boolean
  /** Bytes from the first frame to the end of the last, by the Xing or Info header; null where there is none. */
  readonly statedBytes: number | null
}

/** kbit/s by [layer][index]; ISO/IEC 11172-3 table 3-B.1 (MPEG 1) and 13818-3 (MPEG 2 and 2.5). */
const BITRATES_1: Record<number, readonly number[]> = {
  1: [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
}
const BITRATES_2: Record<number, readonly number[]> = {
  1: [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const RATES_1 = [44_100, 48_000, 32_000]

interface Frame {
  readonly isMono: boolean
  readonly isVersion1: boolean
  readonly bytes: number
}

/**
 * Finds the first frame that another one follows.
 * @param bytes of the file, from behind an ID3v2 tag
 * @returns null where there is none: not MPEG audio
 */
export function findMp3(bytes: Buffer): (Mp3Header & { readonly at: number }) | null {
  for (let at = 0; at + 4 <= bytes.length; at++) {
    const frame = parseFrame(bytes, at)
    if (frame === null) continue
    const next = at + frame.bytes
    if (next + 4 <= bytes.length && parseFrame(bytes, next) === null) continue
    return { at, isMono: frame.isMono, statedBytes: xingBytes(bytes, at, frame) }
  }
  return null
}

function parseFrame(bytes: Buffer, at: number): Frame | null {
  const word = bytes.readUInt32BE(at)
  const version = (word >>> 19) & 3
  const layer = 4 - ((word >>> 17) & 3)
  const bitrateIndex = (word >>> 12) & 15
  const rateIndex = (word >>> 10) & 3
  if (word >>> 21 !== 0x7ff || version === 1 || layer === 4 || rateIndex === 3) return null
  const isVersion1 = version === 3
  const kilobits = (isVersion1 ? BITRATES_1 : BITRATES_2)[layer]?.[bitrateIndex] ?? 0
  if (kilobits === 0) return null
  const rate = (RATES_1[rateIndex] as number) / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  return {
    isMono: ((word >>> 6) & 3) === 3,
    isVersion1,
    bytes: frameBytes(layer, isVersion1, kilobits, rate, (word >>> 9) & 1),
  }
}

function frameBytes(layer: number, isVersion1: boolean, kilobits: number, rate: number, padding: number): number {
  if (layer === 1) return (Math.floor((12_000 * kilobits) / rate) + padding) * 4
  return Math.floor(((layer === 3 && !isVersion1 ? 72_000 : 144_000) * kilobits) / rate) + padding
}

/** The Xing header lies behind the side information of an empty first frame. */
function xingBytes(bytes: Buffer, at: number, { isMono, isVersion1 }: Frame): number | null {
  const sideBytes = isVersion1 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const start = at + 4 + sideBytes
  if (start + 16 > bytes.length || !['Xing', 'Info'].includes(bytes.toString('latin1', start, start + 4))) return null
  const flags = bytes.readUInt32BE(start + 4)
  if ((flags & 2) === 0) return null
  return bytes.readUInt32BE(start + ((flags & 1) === 0 ? 8 : 12))
}

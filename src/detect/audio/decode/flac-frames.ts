import { AttestdError } from '../../../core/errors.js'
import { ByteReader } from './byte-reader.js'
import { corruptSound } from './sound.js'

/** Bytes that are read at once. */
const READ_BYTES = 64 * 1024
/** Frames go on together up to about so many bytes, see `READ_BYTES` of `openSound`. */
const RUN_BYTES = 1024
/** The decoder looks no further for the end of a frame; 4096 samples in 8 channels of 24 bits take 96 KiB. */
const MAX_FRAME_BYTES = 512 * 1024
/** Sync code and codes, the number in up to 7 bytes, block size, rate, check. */
const MAX_HEADER_BYTES = 4 + 7 + 2 + 2 + 1
const MIN_HEADER_BYTES = 4 + 1 + 1
/** More bytes by code: of the block size in bits 4 to 7 of the third byte, of the rate in bits 0 to 3. */
const SIZE_BYTES: Readonly<Record<number, number>> = { 6: 1, 7: 2 }
const RATE_BYTES: Readonly<Record<number, number>> = { 12: 1, 13: 2, 14: 2 }
/** Codes of sample sizes that the decoder does not know, 32 bits among them. */
const RESERVED_DEPTHS = new Set([6, 14])
/** From this channel assignment on it is stereo in three ways. */
const STEREO_CODE = 8

const CRC8 = crcTable(8, 0x07)
const CRC16 = crcTable(16, 0x8005)

/**
 * Runs of whole frames of a FLAC file (RFC 9639, section 9). They must follow each other without a gap, and have one rate
 * and one number of channels: the decoder passes over up to 512 KiB behind any byte that is of none, and mixes frames of
 * different channels by those of the last, while players play all of it. A frame that was cut off at the end is left
 * out, and the last one where a tag follows it.
 * @throws AttestdError media-corrupt, media-unsupported
 */
export async function* flacFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new ByteReader(chunks)
  try {
    await skipMetadata(reader)
    let sound: string | null = null
    let bytes: Buffer = Buffer.alloc(0)
    for (let isLast = false; !isLast; ) {
      const more = await reader.read(READ_BYTES)
      isLast = more.length < READ_BYTES
      bytes = Buffer.concat([bytes, more])
      const soundEnd = isLast ? endOfSound(bytes) : null
      let [given, at] = [0, 0]
      for (let frame = frameAt(bytes, at, soundEnd); frame !== null; frame = frameAt(bytes, at, soundEnd)) {
        sound ??= frame.sound
        if (frame.sound !== sound)
          throw new AttestdError('media-unsupported', 'The recording changes its sample rate or number of channels.')
        if (frame.end - at > MAX_FRAME_BYTES) throw brokenChain()
        at = frame.end
        if (at - given < RUN_BYTES) continue
        yield bytes.subarray(given, at)
        given = at
      }
      if (at > given) yield bytes.subarray(given, at)
      bytes = bytes.subarray(at)
      if (bytes.length > MAX_FRAME_BYTES) throw brokenChain()
    }
    if (sound === null) throw corruptSound('there is no flac frame.')
    // What is left at the end is no part of the sound, unless a frame begins in it.
    for (let at = 1; at < bytes.length; at++) if (headerAt(bytes, at) !== null) throw brokenChain()
  } finally {
    await reader.close()
  }
}

/** The mark and the blocks of metadata: a bit for the last, 7 for the kind, 24 for the length. */
async function skipMetadata(reader: ByteReader): Promise<void> {
  await reader.skip('fLaC'.length)
  for (let isLast = false; !isLast; ) {
    const head = await reader.read(4)
    if (head.length < 4) return
    isLast = (head[0]! & 0x80) !== 0
    await reader.skip(head.readUIntBE(1, 3))
  }
}

/**
 * The frame that begins there: its check is right, and another one or nothing follows; null where there is none.
 * @param soundEnd see `endOfSound`; null where more bytes follow
 */
function frameAt(bytes: Buffer, from: number, soundEnd: number | null): { sound: string; end: number } | null {
  const sound = headerAt(bytes, from)
  if (sound === null) return null
  let check = 0
  for (let at = from; at < bytes.length; ) {
    check = ((check << 8) & 0xffff) ^ CRC16[(check >> 8) ^ bytes[at]!]!
    at++
    if (check !== 0) continue
    if (soundEnd === null && at + MAX_HEADER_BYTES > bytes.length) return null
    if (headerAt(bytes, at) !== null || (soundEnd !== null && at >= soundEnd)) return { sound, end: at }
  }
  return null
}

/** From where on the bytes are padding, or too few for a frame. */
function endOfSound(bytes: Buffer): number {
  return Math.min(bytes.findLastIndex((byte) => byte !== 0) + 1, bytes.length - MIN_HEADER_BYTES + 1)
}

/** What the header that begins there says of rate and channels; null where there is none. */
function headerAt(bytes: Buffer, at: number): string | null {
  const [codes = 0, channelsAndDepth = 0] = [bytes[at + 2], bytes[at + 3]]
  if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return null
  const [size, rate, channels, depth] = [codes >> 4, codes & 15, channelsAndDepth >> 4, channelsAndDepth & 15]
  if (size === 0 || rate === 15 || channels > STEREO_CODE + 2 || depth % 2 === 1 || RESERVED_DEPTHS.has(depth))
    return null
  const rateAt = at + 4 + numberBytes(bytes[at + 4]!) + (SIZE_BYTES[size] ?? 0)
  const end = rateAt + (RATE_BYTES[rate] ?? 0)
  if (end >= bytes.length) return null
  let check = 0
  for (let each = at; each < end; each++) check = CRC8[check ^ bytes[each]!]!
  if (check !== bytes[end]) return null
  return `${channels < STEREO_CODE ? channels + 1 : 2} ${rate} ${bytes.toString('hex', rateAt, end)}`
}

/** Length of a number that is coded as UTF-8 codes characters. */
function numberBytes(first: number): number {
  return first < 0x80 ? 1 : Math.clz32(~(first << 24))
}

function brokenChain(): AttestdError {
  return corruptSound('its frames do not follow each other.')
}

/** The checks of all bytes alone, most significant bit first. */
function crcTable(width: 8 | 16, polynomial: number): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let rest = byte << (width - 8)
    for (let bit = 0; bit < 8; bit++) rest = (rest << 1) ^ (rest >> (width - 1) === 1 ? polynomial | (1 << width) : 0)
    return rest
  })
}

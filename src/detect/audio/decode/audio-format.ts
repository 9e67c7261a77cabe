import { AttestdError } from '../../../core/errors.js'
import { readAt } from '../../../core/files.js'
import { firstBytes, notOfKind } from '../../../formats/declared-kind.js'
import { matchesMediaType, SNIFF_BYTES, sniff } from '../../../formats/sniff.js'
import type { WasmCodec } from './wasm-decode.js'
import { isPlainWav } from './wav-samples.js'

const ID3_HEADER_BYTES = 10
/** In the flags of an ID3v2.4 tag: as many bytes follow it as its header has. */
const HAS_FOOTER = 0x10

/** What reads a file: a decoder of this package by its codec, or ffmpeg. */
export type AudioFormat =
  | { readonly reader: 'wav' }
  /** The sound begins at byte `from`, behind a tag. */
  | { readonly reader: 'wasm'; readonly codec: WasmCodec; readonly from: number }
  | { readonly reader: 'ffmpeg'; readonly mime: string }

/** First bytes of the first packet of an Ogg file; RFC 7845, Vorbis I 4.2.1, the FLAC-to-Ogg mapping. */
const OGG_CODECS: readonly (readonly [magic: string, codec: WasmCodec])[] = [
  ['OpusHead', 'ogg-opus'],
  ['\u0001vorbis', 'ogg-vorbis'],
  ['\u007fFLAC', 'ogg-flac'],
]

/**
 * Detects from its first bytes, never from its name, how a file that was declared audio is read.
 * @throws AttestdError media-empty, media-type-mismatch, media-unsupported
 */
export async function sniffAudioFormat(file: string): Promise<AudioFormat> {
  const head = await firstBytes(file)
  const start = head.toString('latin1', 0, 4)
  if ((start === 'RIFF' || start === 'RF64') && head.toString('latin1', 8, 12) === 'WAVE') return wavFormat(head)
  if (start === 'fLaC') return { reader: 'wasm', codec: 'flac', from: 0 }
  if (start === 'OggS') return oggFormat(head)
  if (start.startsWith('ID3')) return behindTag(file, head)
  const sniffed = await sniff(head)
  if (sniffed.mime === 'audio/mpeg') return { reader: 'wasm', codec: 'mp3', from: 0 }
  if (sniffed.mime !== null && matchesMediaType(sniffed, 'audio')) return { reader: 'ffmpeg', mime: sniffed.mime }
  throw notOfKind('audio', head, sniffed)
}

/** A compressed WAVE goes to ffmpeg. The format chunk is the first in all but a few files; else the decoder finds out. */
function wavFormat(head: Buffer): AudioFormat {
  if (head.toString('latin1', 12, 16) !== 'fmt ' || head.length < 46) return { reader: 'wav' }
  const tag = head.readUInt16LE(20)
  return isPlainWav(tag === 0xfffe ? head.readUInt16LE(44) : tag)
    ? { reader: 'wav' }
    : { reader: 'ffmpeg', mime: 'audio/wav' }
}

function oggFormat(head: Buffer): AudioFormat {
  // The page header is 27 bytes and one for each segment; the first page holds the first packet alone.
  const packet = head.toString('latin1', 27 + (head[26] ?? 0), 27 + (head[26] ?? 0) + 8)
  const codec = OGG_CODECS.find(([magic]) => packet.startsWith(magic))?.[1]
  return codec === undefined ? { reader: 'ffmpeg', mime: 'audio/ogg' } : { reader: 'wasm', codec, from: 0 }
}

/** ID3v2 stands before MP3 mostly, before AAC and FLAC at times. @throws AttestdError media-unsupported before anything else */
async function behindTag(file: string, head: Buffer): Promise<AudioFormat> {
  const footerBytes = ((head[5] ?? 0) & HAS_FOOTER) === 0 ? 0 : ID3_HEADER_BYTES
  const from = ID3_HEADER_BYTES + synchsafe(head.subarray(6, 10)) + footerBytes
  const next = await readAt(file, from, SNIFF_BYTES)
  if (next.toString('latin1', 0, 4) === 'fLaC') return { reader: 'wasm', codec: 'flac', from }
  const isAdts = next.length >= 2 && (next.readUInt16BE(0) & 0xfff6) === 0xfff0
  const { mime } = next.length === 0 ? { mime: null } : await sniff(next)
  // Players play what stands there, while frames of MP3 may hide in it.
  if (!isAdts && mime !== null && mime !== 'audio/mpeg')
    throw new AttestdError('media-unsupported', `A tag of MP3 in front of ${mime} is not supported.`)
  return isAdts ? { reader: 'ffmpeg', mime: 'audio/aac' } : { reader: 'wasm', codec: 'mp3', from }
}

/** ID3v2 sizes have seven bits a byte. */
const synchsafe = (bytes: Buffer): number => bytes.reduce((size, byte) => size * 128 + (byte & 0x7f), 0)

import { readAt } from '../../../core/files.js'
import { ByteReader } from './byte-reader.js'
import { corruptSound, type SoundBlock, type SoundBlocks } from './sound.js'
import { sampleReader, type WavFormat } from './wav-samples.js'

/** Sample bytes that are decoded at once, whatever number of channels a header claims. */
const BLOCK_BYTES = 128 * 1024
/** Chunks before the sound that are looked at; more is no recording. */
const MAX_CHUNKS = 1000
/** A format chunk is 16, 18 or 40 bytes. */
const MAX_FORMAT_BYTES = 1024
/** Sizes from here on mean "until the end": writers to a pipe do not know better. */
const UNKNOWN_SIZE = 0x7fff_0000

/** What a WAVE header states. */
export interface WavHeader {
  readonly format: WavFormat
  readonly dataAt: number
  /** Of samples; infinite where they go on to the end of the file. */
  readonly dataBytes: number
}

/** Reads the header of RIFF/WAVE and RF64. @throws AttestdError media-corrupt (no header, no sound) */
export async function wavHeader(bytes: AsyncIterable<Uint8Array>): Promise<WavHeader> {
  const reader = new ByteReader(bytes)
  try {
    return await readHeader(reader)
  } finally {
    await reader.close()
  }
}

/**
 * Whether another chunk of sound follows, which players play, too.
 * @param from where the chunk behind the first sound begins; nowhere, if that goes on to the end of the file
 */
export async function hasMoreSound(file: string, from: number): Promise<boolean> {
  let at = from
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = Number.isSafeInteger(at) ? await readAt(file, at, 8) : Buffer.alloc(0)
    if (head.length < 8) return false
    if (head.toString('latin1', 0, 4) === 'data') return true
    const size = head.readUInt32LE(4)
    at += 8 + size + (size % 2)
  }
  return true
}

/**
 * Decodes RIFF/WAVE and RF64 with PCM, float, A-law or mu-law samples, from their beginning.
 * @throws AttestdError media-corrupt (no header, no sound), media-unsupported (other codecs)
 */
export async function* decodeWav(bytes: AsyncIterable<Uint8Array>): SoundBlocks {
  const reader = new ByteReader(bytes)
  try {
    const { format, dataBytes } = await readHeader(reader)
    yield* samplesOf(reader, format, dataBytes)
  } finally {
    await reader.close()
  }
}

/** Decodes samples of a WAVE file. @param bytes from the beginning of a frame on @throws AttestdError media-unsupported */
export async function* decodeSamples(bytes: AsyncIterable<Uint8Array>, format: WavFormat): SoundBlocks {
  const reader = new ByteReader(bytes)
  try {
    yield* samplesOf(reader, format, Number.POSITIVE_INFINITY)
  } finally {
    await reader.close()
  }
}

async function* samplesOf(reader: ByteReader, format: WavFormat, dataBytes: number): SoundBlocks {
  const decode = sampleReader(format)
  const frameBytes = format.blockAlign
  const blockBytes = Math.max(1, Math.floor(BLOCK_BYTES / frameBytes)) * frameBytes
  let left = dataBytes
  while (left >= frameBytes) {
    const wanted = Math.min(blockBytes, left)
    const run = await reader.read(wanted)
    const frames = Math.floor(run.length / frameBytes)
    if (frames > 0) yield blockOf(run, frames, format, decode)
    left -= run.length
    if (run.length < wanted) break
  }
}

async function readHeader(reader: ByteReader): Promise<WavHeader> {
  const riff = await reader.read(12)
  if (riff.length < 12 || riff.toString('latin1', 8, 12) !== 'WAVE') throw corruptSound('there is no WAVE header.')
  // Players take no size of ds64 in a plain RIFF.
  const isLong = riff.toString('latin1', 0, 4) === 'RF64'
  let format: WavFormat | undefined
  let longDataBytes: number | undefined
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = await reader.read(8)
    if (head.length < 8) break
    const id = head.toString('latin1', 0, 4)
    const size = head.readUInt32LE(4)
    if (id === 'data') {
      if (format === undefined) break
      const stated = size === 0 || size >= UNKNOWN_SIZE ? Number.POSITIVE_INFINITY : size
      return { format, dataAt: reader.position, dataBytes: longDataBytes ?? stated }
    }
    const kept = id === 'fmt ' || id === 'ds64' ? await reader.read(Math.min(size, MAX_FORMAT_BYTES)) : Buffer.alloc(0)
    if (id === 'fmt ') {
      if (format !== undefined) throw corruptSound('there are two format chunks.')
      format = parseFormat(kept)
    }
    if (id === 'ds64' && isLong && kept.length >= 16) longDataBytes = Number(kept.readBigUInt64LE(8))
    await reader.skip(size + (size % 2) - kept.length)
  }
  throw corruptSound('the WAVE file has no samples.')
}

function parseFormat(chunk: Buffer): WavFormat {
  if (chunk.length < 16) throw corruptSound('the format chunk is too short.')
  const tag = chunk.readUInt16LE(0)
  // WAVE_FORMAT_EXTENSIBLE: the tag proper leads its subformat.
  const format = {
    tag: tag === 0xfffe && chunk.length >= 26 ? chunk.readUInt16LE(24) : tag,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    blockAlign: chunk.readUInt16LE(12),
    bits: chunk.readUInt16LE(14),
  }
  if (format.channels === 0 || format.blockAlign === 0) throw corruptSound('the format chunk states no channel.')
  return format
}

function blockOf(
  run: Buffer,
  frames: number,
  format: WavFormat,
  decode: (run: Buffer, at: number) => number,
): SoundBlock {
  const { blockAlign, channels, sampleRate } = format
  const step = blockAlign / channels
  const separate = Array.from({ length: channels }, () => new Float32Array(frames))
  for (const [channel, samples] of separate.entries()) {
    for (let frame = 0; frame < frames; frame++) samples[frame] = decode(run, frame * blockAlign + channel * step)
  }
  return { sampleRate, channels: separate }
}

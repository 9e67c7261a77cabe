import { stat } from 'node:fs/promises'
import { readAt } from '../core/files.js'
import { oggFacts } from './ogg.js'

const HEAD_BYTES = 64
/** Metadata blocks of a FLAC that are walked over. */
const MOST_BLOCKS = 128

/**
 * Length of a recording by its first and last bytes alone: WAVE, FLAC, and Opus, Vorbis and FLAC in Ogg. As the file states
 * it, so not to be relied on.
 * @returns seconds; null for other formats, and where nothing is stated
 */
export async function statedSeconds(file: string): Promise<number | null> {
  const head = await readAt(file, 0, HEAD_BYTES)
  switch (head.toString('latin1', 0, 4)) {
    case 'RIFF':
    case 'RF64':
      return wavSeconds(head, (await stat(file)).size)
    case 'fLaC':
      return (await flacFacts(file)).seconds
    case 'OggS':
      return (await oggFacts(file))?.seconds ?? null
    default:
      return null
  }
}

/**
 * Reads the metadata blocks of a FLAC (RFC 9639, section 8), each by a read or two.
 * @param from byte at which it begins
 * @returns seconds, null where none are stated, and the byte at which the sound begins, behind tags, pictures and padding
 */
export async function flacFacts(file: string, from = 0) {
  const info = await readAt(file, from + 18, 8)
  const rate = info.length < 8 ? 0 : info.readUIntBE(0, 3) >> 4
  const samples = rate === 0 ? 0 : Number(info.readBigUInt64BE(0) & 0xf_ffff_ffffn)
  let soundAt = from + 4
  for (let count = 0, isLast = false; count < MOST_BLOCKS && !isLast; count++) {
    const head = await readAt(file, soundAt, 4)
    if (head.length < 4) break
    isLast = (head.readUInt8(0) & 0x80) !== 0
    soundAt += 4 + head.readUIntBE(1, 3)
  }
  return { seconds: samples === 0 ? null : samples / rate, soundAt }
}

/** By bytes a second as the format chunk states them, where it is the first, as in all but a few files. */
function wavSeconds(head: Buffer, bytes: number): number | null {
  const isFormat = head.length >= 32 && head.toString('latin1', 12, 16) === 'fmt '
  const bytesPerSecond = isFormat ? head.readUInt32LE(28) : 0
  return bytesPerSecond === 0 ? null : bytes / bytesPerSecond
}

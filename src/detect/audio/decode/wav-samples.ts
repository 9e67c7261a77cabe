import { AttestdError } from '../../../core/errors.js'
import { A_LAW, MU_LAW } from './companding.js'

/** What a WAVE file states of its samples. */
export interface WavFormat {
  /** Codec number of the RIFF registry. */
  readonly tag: number
  readonly channels: number
  readonly sampleRate: number
  /** Bytes of one sample of every channel. */
  readonly blockAlign: number
  /** Bits of one sample, in as many bytes as they fill. */
  readonly bits: number
}

const PCM = 1
const FLOAT = 3
const A_LAW_TAG = 6
const MU_LAW_TAG = 7

/** Whether the samples of this codec are read here; all others need ffmpeg. */
export const isPlainWav = (tag: number): boolean => [PCM, FLOAT, A_LAW_TAG, MU_LAW_TAG].includes(tag)

/**
 * A function that reads the sample at a byte, -1 to 1. Bits fill their container from its upper end, so its size decides.
 * @throws AttestdError media-unsupported
 */
export function sampleReader({ tag, channels, blockAlign, bits }: WavFormat): (run: Buffer, at: number) => number {
  // Players go by one of the two, and would hear another sound than is read here.
  if (blockAlign !== channels * Math.ceil(bits / 8))
    throw new AttestdError(
      'media-unsupported',
      `WAVE with samples of ${bits} bits in other containers is not supported.`,
    )
  switch (`${tag}:${blockAlign / channels}`) {
    case `${PCM}:1`:
      return (run, at) => (run.readUInt8(at) - 128) / 128
    case `${PCM}:2`:
      return (run, at) => run.readInt16LE(at) / 32_768
    case `${PCM}:3`:
      return (run, at) => run.readIntLE(at, 3) / 8_388_608
    case `${PCM}:4`:
      return (run, at) => run.readInt32LE(at) / 2_147_483_648
    case `${FLOAT}:4`:
      return (run, at) => run.readFloatLE(at)
    case `${FLOAT}:8`:
      return (run, at) => run.readDoubleLE(at)
    case `${A_LAW_TAG}:1`:
      return (run, at) => A_LAW[run.readUInt8(at)] as number
    case `${MU_LAW_TAG}:1`:
      return (run, at) => MU_LAW[run.readUInt8(at)] as number
    default:
      throw new AttestdError('media-unsupported', `WAVE with codec ${tag} of ${bits} bits is not supported.`)
  }
}

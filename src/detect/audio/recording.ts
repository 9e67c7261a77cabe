import { AttestdError } from '../../core/errors.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import { openSound } from './decode/open-sound.js'
import { corruptSound, type SoundBlock } from './decode/sound.js'
import { Resampler } from './resampler.js'

/** Only so much of a recording is looked at, seconds: 40 MB at 16 kHz, and about 10 s to decode. */
const MAX_SECONDS = 600
/** And only so many samples a channel, for the cost of the highest rates: 10 minutes at 96 kHz. */
const MAX_FRAMES = 600 * 96_000
/** Rates outside are of no recording of speech; the highest of any sound card is 384 kHz. */
const RATES = [4000, 384_000] as const
const MAX_CHANNELS = 64
/** Beyond it, full scale being 1, float samples are no sound; limiters and lossy codecs overshoot by a few dB only. */
const MAX_LEVEL = 100

/** The mono sound of a file at the rate that was asked for. */
export interface Recording {
  readonly samples: Float32Array
  /** As a person would call it: `mp3`, `ogg opus`. */
  readonly format: string
  /** Samples a second in the file. */
  readonly sourceRate: number
  /** Of the part that has most. */
  readonly channels: number
  /** Length of the part that was decoded. */
  readonly seconds: number
  /** Whether the file is longer than what is looked at. */
  readonly isCut: boolean
}

/**
 * Decodes a file, takes the mean of the channels that each part has, and brings it to a rate.
 * @throws AttestdError media-*, detector-timeout
 */
export async function readRecording(file: string, rate: number, tools: ReaderTools): Promise<Recording> {
  const { format, blocks } = await openSound(file, tools)
  const deadline = tools.clock.monotonic() + tools.timeoutSeconds * 1000
  const pieces: Float32Array[] = []
  let frames = 0
  let channels = 0
  let sourceRate = 0
  let resampler: Resampler | undefined
  let isCut = false
  for await (const block of blocks) {
    if (tools.clock.monotonic() > deadline)
      throw new AttestdError('detector-timeout', 'Decoding took longer than its limit.')
    requireBounds(block)
    sourceRate ||= block.sampleRate
    if (block.sampleRate !== sourceRate)
      throw new AttestdError('media-unsupported', 'The recording changes its sample rate.')
    resampler ??= new Resampler(sourceRate, rate)
    channels = Math.max(channels, block.channels.length)
    const left = Math.min(MAX_SECONDS * sourceRate, MAX_FRAMES) - frames
    const mono = meanOf(block.channels).subarray(0, left)
    pieces.push(resampler.push(mono))
    frames += mono.length
    isCut = mono.length === left
    if (isCut) break
  }
  if (resampler === undefined) throw new AttestdError('media-empty', 'The recording holds no sample.')
  const samples = join([...pieces, resampler.flush()])
  return { samples, format, sourceRate, channels, seconds: frames / sourceRate, isCut }
}

function requireBounds({ sampleRate, channels }: SoundBlock): void {
  if (sampleRate < RATES[0] || sampleRate > RATES[1])
    throw new AttestdError('media-unsupported', `Sound of ${sampleRate} Hz is not supported.`)
  if (channels.length > MAX_CHANNELS)
    throw new AttestdError('media-too-complex', `The recording has ${channels.length} channels.`)
}

function meanOf(channels: readonly Float32Array[]): Float32Array {
  const mean = new Float32Array(channels[0]?.length ?? 0)
  for (let index = 0; index < mean.length; index++) {
    let sum = 0
    for (const channel of channels) sum += channel[index] as number
    // Written so that NaN fails too.
    if (!(Math.abs(sum) <= MAX_LEVEL * channels.length)) throw corruptSound('its samples are not within full scale.')
    mean[index] = sum / channels.length
  }
  return mean
}

function join(pieces: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

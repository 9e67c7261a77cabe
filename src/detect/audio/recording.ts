import { AttestdError } from '../../core/errors.js'
import type { ReaderTools } from '../contract/medium-reader.js'
import { ChannelSpread } from './channel-spread.js'
import { openSound } from './decode/open-sound.js'
import { MAX_SECONDS } from './decode/passages.js'
import { corruptSound, type SoundBlock, type SoundBlocks } from './decode/sound.js'
import { resample } from './resampler.js'

/** Most samples of all channels that are decoded, for the cost of many channels and high rates: stereo at 96 kHz. */
const MAX_SAMPLES = MAX_SECONDS * 2 * 96_000
/** Rates outside are of no recording of speech; the highest of any sound card is 384 kHz. */
const RATES = [4000, 384_000] as const
const MAX_CHANNELS = 64
/** Stated lengths leave out, or count in, what a coder puts in front of the sound and behind it. */
const LENGTH_MARGIN_SECONDS = 1
/** Beyond it, full scale being 1, float samples are no sound; limiters and lossy codecs overshoot by a few dB only. */
const MAX_LEVEL = 100

/** Where a passage of a recording begins. */
export interface PassageStart {
  /** Number of its first sample among those that were decoded. */
  readonly at: number
  /** In the recording, seconds; an estimate but for the first. */
  readonly seconds: number
}

/** The mono sound of a file at the rate that was asked for. */
export interface Recording {
  /** Of the passages that were decoded, one behind the other. */
  readonly samples: Float32Array
  /** One of all that was decoded in one piece. */
  readonly passages: readonly PassageStart[]
  /** As a person would call it: `mp3`, `ogg opus`. */
  readonly format: string
  /** Samples a second in the file. */
  readonly sourceRate: number
  /** Of the part that has most. */
  readonly channels: number
  /** Those that are something else than the mean of all, from 0, the loudest first: voices that cancel each other out, or drown in others. */
  readonly apart: readonly number[]
  /** Length of what was decoded. */
  readonly seconds: number
  /** Length of the file as it is stated or estimated; null where it is not known. */
  readonly statedSeconds: number | null
}

/**
 * A file, or passages of a long one, mixed to mono and resampled to a rate.
 * @param channel one that is heard alone, from 0; where it is left out, the mean of all
 * @throws media-*, detector-timeout
 */
export async function readRecording(
  file: string,
  rate: number,
  tools: ReaderTools,
  channel?: number,
): Promise<Recording> {
  const { format, seconds: statedSeconds, passages } = await openSound(file, tools)
  const mixer = new Mixer(rate, tools, channel)
  const starts: PassageStart[] = []
  let isCut = false
  let failure: unknown
  for (const { startSeconds, seconds, blocks } of passages) {
    const [at, framesBefore] = [mixer.samples, mixer.frames]
    try {
      if (await mixer.add(blocks, seconds, (MAX_SAMPLES * seconds) / MAX_SECONDS)) isCut = true
    } catch (error) {
      // Behind the end of a file that was cut off there is nothing to hear.
      if (mixer.frames > framesBefore || !(error instanceof AttestdError) || error.reason !== 'media-corrupt')
        throw error
      failure ??= error
    }
    if (mixer.samples > at) starts.push({ at, seconds: startSeconds })
  }
  const { sourceRate, channels } = mixer
  if (starts.length === 0) throw failure ?? new AttestdError('media-empty', 'The recording contains no samples.')
  const heard = mixer.frames / sourceRate
  // Whoever makes the file would choose what is heard of it.
  if (passages.length === 1 && isCut && !(Math.abs((statedSeconds ?? Infinity) - heard) < LENGTH_MARGIN_SECONDS))
    throw new AttestdError(
      'media-unsupported',
      `The recording is longer than it states, or than the ${heard.toFixed(1)} s that are decoded.`,
    )
  return {
    samples: join(mixer.passages),
    passages: starts,
    format,
    sourceRate,
    channels,
    apart: mixer.spread.apart(),
    seconds: heard,
    statedSeconds,
  }
}

/** Collects mono sound of one rate from passages. */
class Mixer {
  /** In the file, a channel. */
  frames = 0
  /** That were collected, at the rate asked for. */
  samples = 0
  channels = 0
  sourceRate = 0
  readonly spread = new ChannelSpread()
  readonly passages: Float32Array[] = []
  readonly #deadline: number

  readonly #rate: number
  readonly #clock: ReaderTools['clock']
  readonly #channel: number | undefined

  constructor(rate: number, { clock, timeoutSeconds }: ReaderTools, channel?: number) {
    this.#rate = rate
    this.#channel = channel
    this.#clock = clock
    this.#deadline = clock.monotonic() + timeoutSeconds * 1000
  }

  /** Takes a passage up to so many seconds, or samples of all channels. @returns whether there was more of it */
  async add(blocks: SoundBlocks, seconds: number, maxSamples: number): Promise<boolean> {
    const pieces: Float32Array[] = []
    let frames = 0
    let isCut = false
    for await (const block of blocks) {
      this.#require(block)
      const most = Math.min(seconds * this.sourceRate, maxSamples / block.channels.length)
      const alone = this.#channel === undefined ? undefined : block.channels[this.#channel]
      const mono = meanOf(alone === undefined ? block.channels : [alone], Math.max(0, Math.floor(most) - frames))
      this.spread.add(block.channels, mono, block.sampleRate)
      pieces.push(mono)
      frames += mono.length
      this.frames += mono.length
      isCut = frames >= Math.floor(most)
      if (isCut) break
    }
    if (frames > 0) {
      const passage = resample(join(pieces), this.sourceRate, this.#rate)
      this.passages.push(passage)
      this.samples += passage.length
    }
    return isCut
  }

  #require(block: SoundBlock): void {
    if (this.#clock.monotonic() > this.#deadline)
      throw new AttestdError('detector-timeout', 'Decoding took longer than its limit.')
    requireBounds(block)
    this.sourceRate ||= block.sampleRate
    if (block.sampleRate !== this.sourceRate)
      throw new AttestdError('media-unsupported', 'The recording changes its sample rate.')
    this.channels = Math.max(this.channels, block.channels.length)
  }
}

function requireBounds({ sampleRate, channels }: SoundBlock): void {
  if (sampleRate < RATES[0] || sampleRate > RATES[1])
    throw new AttestdError('media-unsupported', `Sound of ${sampleRate} Hz is not supported.`)
  if (channels.length > MAX_CHANNELS)
    throw new AttestdError('media-too-complex', `The recording has ${channels.length} channels.`)
}

/** @param most samples, of a longer block the first */
function meanOf(channels: readonly Float32Array[], most: number): Float32Array {
  const { length: count } = channels
  const first = channels[0] ?? new Float32Array(0)
  const mean = new Float32Array(Math.min(most, first.length))
  for (let index = 0; index < mean.length; index++) {
    // A sum from zero on, as of more channels: it makes no zero negative.
    let sum = 0 + heard(first[index] as number)
    for (let channel = 1; channel < count; channel++) sum += heard(channels[channel]?.[index] as number)
    mean[index] = sum / count
  }
  return mean
}

/** A sample as it is played: what is beyond full scale is cut there, so that nothing can be heard here that cannot be there. */
function heard(sample: number): number {
  if (sample >= -1 && sample <= 1) return sample
  // Written so that NaN fails too.
  if (!(Math.abs(sample) <= MAX_LEVEL)) throw corruptSound('its samples are not within full scale.')
  return Math.sign(sample)
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

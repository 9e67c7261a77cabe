import { AttestdError } from '../../core/errors.js'
import { hannWindow, PowerSpectrum } from './fourier.js'
import type { VoiceActivity } from './voice-activity.js'

const FRAME_SECONDS = 0.025
const HOP_SECONDS = 0.01
/** What lies below, without its mean, is silence, however it was stored: dither, faint hiss, an offset; dBFS. */
const AUDIBLE_DBFS = -60
/** Less sound than this in a whole recording is a click, seconds. */
const LEAST_AUDIBLE_SECONDS = 0.1
/** Where the spectrum is looked at, Hz, and in how many bands of equal ratio. */
const BAND = [60, 7000] as const
const BANDS = 14
/** Frames looked at, of more this many evenly spread: half a minute of them. */
const MOST_FRAMES = 3000
/** The share of the frames whose spectra may lie further from the mean: clicks in hum, and clipped ends. */
const OUTLIERS = 0.1
/**
 * How far the spectra of the other frames must lie from their mean: half the sum of absolute differences of the bands'
 * shares, 0 to 1. White noise has 0.16, hum that fades in 0.11, a tone that comes and goes 0.03; of 416 clips of the
 * audio pack, taken evenly, the least is 0.28 and the first percentile 0.44.
 */
const LEAST_CHANGE = 0.2

/** How much there is to hear in a sound. */
export interface Heard {
  /** Seconds of it that are audible. */
  readonly audibleSeconds: number
  /** How much the spectrum of what is audible changes, 0 to 1: next to nothing in hum, hiss and a bare tone, much in speech. */
  readonly change: number
}

/**
 * Refuses a sound in which there is nothing to judge: silence of any kind, a click in it, hum, hiss, one tone.
 * @param voice only these frames are looked at; all where it is left out
 * @throws AttestdError media-featureless
 */
export function refuseFeatureless(samples: Float32Array, rate: number, voice?: VoiceActivity): void {
  const { audibleSeconds, change } = hear(samples, rate, voice)
  if (audibleSeconds < LEAST_AUDIBLE_SECONDS)
    throw new AttestdError('media-featureless', 'The recording contains nothing to judge: it is silent.')
  if (change < LEAST_CHANGE) {
    const what = 'it is one steady sound such as hum, hiss or a tone'
    throw new AttestdError('media-featureless', `The recording contains nothing to judge: ${what}.`)
  }
}

/** Looks at frames as `findVoice` does: 25 ms every 10 ms. @param rate samples a second */
export function hear(samples: Float32Array, rate: number, voice?: VoiceActivity): Heard {
  const frameSamples = Math.round(rate * FRAME_SECONDS)
  const hopSamples = Math.round(rate * HOP_SECONDS)
  const sharesOf = bandMeter(frameSamples, rate)
  const spectra: Float64Array[] = []
  const step = Math.max(1, Math.ceil(samples.length / hopSamples / MOST_FRAMES))
  for (let index = 0; index * hopSamples + frameSamples <= samples.length; index += step) {
    if (voice?.frames[index] === 0) continue
    const start = index * hopSamples
    const mean = meanOf(samples, start, frameSamples)
    if (levelOf(samples, start, frameSamples, mean) > AUDIBLE_DBFS) spectra.push(sharesOf(samples, start, mean))
  }
  return { audibleSeconds: (spectra.length * step * hopSamples) / rate, change: changeOf(spectra) }
}

function meanOf(samples: Float32Array, start: number, length: number): number {
  let sum = 0
  for (let index = start; index < start + length; index++) sum += samples[index] as number
  return sum / length
}

/** Power without the mean, dBFS. */
function levelOf(samples: Float32Array, start: number, length: number, mean: number): number {
  let power = 0
  for (let index = start; index < start + length; index++) power += ((samples[index] as number) - mean) ** 2
  return 10 * Math.log10(power / length)
}

function bandMeter(
  frameSamples: number,
  rate: number,
): (samples: Float32Array, start: number, mean: number) => Float64Array {
  const spectrum = new PowerSpectrum(2 ** Math.ceil(Math.log2(frameSamples)), hannWindow(frameSamples))
  const first = Math.ceil((BAND[0] * spectrum.size) / rate)
  const last = Math.min(spectrum.size / 2, Math.floor((BAND[1] * spectrum.size) / rate))
  const bandOf = Uint8Array.from({ length: last - first + 1 }, (_, index) => {
    const octaves = Math.log(((first + index) * rate) / spectrum.size / BAND[0])
    return Math.min(BANDS - 1, Math.floor((BANDS * octaves) / Math.log(BAND[1] / BAND[0])))
  })
  return (samples, start, mean) => {
    const shares = new Float64Array(BANDS)
    let sum = 0
    const powers = spectrum.of(samples, start, first, last, mean)
    for (let index = 0; index < powers.length; index++) {
      const band = bandOf[index] as number
      const power = powers[index] as number
      shares[band] = (shares[band] as number) + power
      sum += power
    }
    return shares.map((power) => (sum > 0 ? power / sum : 0))
  }
}

/** The distance of the spectra from their mean that all but the outliers stay within; 0 of none. */
function changeOf(spectra: readonly Float64Array[]): number {
  const mean = new Float64Array(BANDS)
  for (const shares of spectra)
    for (let band = 0; band < BANDS; band++)
      mean[band] = (mean[band] as number) + (shares[band] as number) / spectra.length
  const distances = spectra.map((shares) =>
    shares.reduce((sum, share, band) => sum + Math.abs(share - (mean[band] as number)) / 2, 0),
  )
  return distances.toSorted((a, b) => a - b)[Math.floor(distances.length * (1 - OUTLIERS))] ?? 0
}

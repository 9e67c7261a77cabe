import { hannWindow, PowerSpectrum } from './fourier.js'

// The definition that the shipped detector was trained with; its twin is models/attestd-audio/train/voice.py.

const FRAME_SECONDS = 0.025
const HOP_SECONDS = 0.01
/** A frame must be this far above the noise floor (10th percentile of the levels), dB ... */
const ABOVE_FLOOR_DB = 9
/** ... or, where a tightly cut recording has no pauses to show its floor, this far below the loud frames (95th percentile), dB. */
const HEADROOM_DB = 10
/** What lies further below the loud frames is no speech, dB. */
const RANGE_DB = 30
/** What lies below is no speech, dBFS. */
const LEAST_DBFS = -55
/** Where loud and soft frames lie closer together, dB, the sound is hum, hiss or a tone. */
const LEAST_DYNAMICS_DB = 5
/** Spectral flatness (geometric by arithmetic mean of the power) from which a frame is noise. */
const NOISE_FLATNESS = 0.5
/** Where the flatness is looked at, Hz. */
const BAND = [100, 4000] as const
/** Shorter runs of frames are clicks. */
const LEAST_RUN = 4
/** Frames by which a run is prolonged, for the soft ends of words. */
const HANGOVER = 8
/** Added to powers before the logarithm. */
const TINY = 1e-12

/** Which frames of a sound are speech. */
export interface VoiceActivity {
  /** 1 for speech, one a frame; only complete frames count. */
  readonly frames: Uint8Array
  /** Length of a frame and distance between the starts of two, in samples. */
  readonly frameSamples: number
  readonly hopSamples: number
}

/** Finds speech in mono sound by level and spectrum: frames of 25 ms every 10 ms. @param rate samples a second */
export function findVoice(samples: Float32Array, rate: number): VoiceActivity {
  const frameSamples = Math.round(rate * FRAME_SECONDS)
  const hopSamples = Math.round(rate * HOP_SECONDS)
  const count = samples.length < frameSamples ? 0 : 1 + Math.floor((samples.length - frameSamples) / hopSamples)
  const levels = Float64Array.from({ length: count }, (_, frame) => levelOf(samples, frame * hopSamples, frameSamples))
  const least = leastLevel(levels)
  const flatness = flatnessMeter(frameSamples, rate)
  const active = Uint8Array.from(levels, (level, frame) =>
    level > least && flatness(samples, frame * hopSamples) < NOISE_FLATNESS ? 1 : 0,
  )
  return { frames: holdRuns(active), frameSamples, hopSamples }
}

/** Mean power, dBFS. */
function levelOf(samples: Float32Array, start: number, length: number): number {
  let power = 0
  for (let index = start; index < start + length; index++) power += (samples[index] as number) ** 2
  return 10 * Math.log10(power / length + TINY)
}

function leastLevel(levels: Float64Array): number {
  const sorted = levels.toSorted()
  const floor = percentile(sorted, 0.1)
  const loud = percentile(sorted, 0.95)
  if (!(loud - floor >= LEAST_DYNAMICS_DB)) return Number.POSITIVE_INFINITY
  return Math.max(Math.min(floor + ABOVE_FLOOR_DB, loud - HEADROOM_DB), loud - RANGE_DB, LEAST_DBFS)
}

/** By linear interpolation between the nearest ranks; NaN of nothing. */
function percentile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

function flatnessMeter(frameSamples: number, rate: number): (samples: Float32Array, start: number) => number {
  const spectrum = new PowerSpectrum(2 ** Math.ceil(Math.log2(frameSamples)), hannWindow(frameSamples))
  const first = Math.ceil((BAND[0] * spectrum.size) / rate)
  const last = Math.floor((BAND[1] * spectrum.size) / rate)
  return (samples, start) => {
    const powers = spectrum.of(samples, start, first, last)
    let sum = 0
    let logs = 0
    for (const power of powers) {
      sum += power + TINY
      logs += Math.log(power + TINY)
    }
    return Math.exp(logs / powers.length) / (sum / powers.length)
  }
}

/** Drops short runs and prolongs the others. */
function holdRuns(active: Uint8Array): Uint8Array {
  const held = new Uint8Array(active.length)
  let start = 0
  for (let frame = 0; frame <= active.length; frame++) {
    if (active[frame] === 1) continue
    if (frame - start >= LEAST_RUN) held.fill(1, start, frame + HANGOVER)
    start = frame + 1
  }
  return held
}

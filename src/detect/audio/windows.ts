import { AttestdError } from '../../core/errors.js'
import type { AudioPreprocessing } from '../package/preprocessing.js'
import { refuseNarrowBand } from './bandwidth.js'
import { refuseFeatureless } from './featureless.js'
import { findVoice, type VoiceActivity } from './voice-activity.js'

/** A stretch of a sound, in samples; `end` is not part of it. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** Where the windows of a sound lie. */
export interface WindowPlan {
  /** In order; one may be shorter than the plan's window: `fillWindow`. */
  readonly windows: readonly Stretch[]
  /** Windows of speech that were left out and share no sound with these. */
  readonly unheard: readonly Stretch[]
  readonly speechSeconds: number
}

type Plan = AudioPreprocessing

interface Seam {
  readonly at: number
}

/**
 * Looks for speech, cuts the silence at both ends and lays windows over the rest. The last one ends with the sound,
 * windows with too little speech are left out, and of too many some are taken evenly.
 * @param passages first samples of stretches that do not belong together: no window lies over a seam
 * @throws AttestdError media-without-speech, media-featureless, media-narrow-band
 */
export function planWindows(samples: Float32Array, plan: Plan, passages: readonly Seam[] = []): WindowPlan {
  if (plan.minSpeechShare === 0) return planAll(samples, plan, passages)
  const voice = findVoice(samples, plan.sampleRate)
  const speechSeconds = (sumOf(voice.frames) * voice.hopSamples) / plan.sampleRate
  if (speechSeconds === 0 || speechSeconds < plan.minSpeechSeconds) throw withoutSpeech(speechSeconds, plan)
  refuseNarrowBand(samples, voice, plan)
  const first = voice.frames.indexOf(1)
  const last = voice.frames.lastIndexOf(1)
  const trimmed = {
    start: first * voice.hopSamples,
    end: Math.min(samples.length, last * voice.hopSamples + voice.frameSamples),
  }
  const windows = windowsOf(trimmed, plan, passages)
  const kept =
    windows.length === 1
      ? windows
      : windows.filter((window) => speechShare(window, trimmed, voice, last) >= plan.minSpeechShare)
  if (kept.length === 0) {
    throw new AttestdError(
      'media-without-speech',
      `No ${seconds(plan.window.samples, plan)} s of the recording are speech for at least ${Math.round(100 * plan.minSpeechShare)} %.`,
    )
  }
  refuseFeatureless(samples, plan.sampleRate, voice)
  return { ...taken(kept, plan), speechSeconds }
}

function taken(all: readonly Stretch[], { maxWindows }: Plan): Pick<WindowPlan, 'windows' | 'unheard'> {
  const windows = takeEvenly(all, maxWindows)
  const unheard = all.filter(({ start, end }) => windows.every((heard) => end <= heard.start || heard.end <= start))
  return { windows, unheard }
}

/** Fewest samples that a network is given: the first features of wav2vec 2.0 are made of so many. */
const LEAST_SAMPLES = 400

/** A window's samples; those of a shorter stretch repeated, followed by zeros or left as short, as the plan states. */
export function fillWindow(stretch: Float32Array, { window, padding }: Plan): Float32Array {
  if (padding === 'none' && stretch.length >= LEAST_SAMPLES) return stretch
  const values = new Float32Array(padding === 'none' ? LEAST_SAMPLES : window.samples)
  values.set(stretch)
  if (padding === 'repeat') {
    for (let index = stretch.length; index < values.length; index++)
      values[index] = values[index - stretch.length] as number
  }
  return values
}

function planAll(samples: Float32Array, plan: Plan, passages: readonly Seam[]): WindowPlan {
  if (samples.length === 0) throw withoutSpeech(0, plan)
  refuseFeatureless(samples, plan.sampleRate)
  const all = windowsOf({ start: 0, end: samples.length }, plan, passages)
  return { ...taken(all, plan), speechSeconds: samples.length / plan.sampleRate }
}

function windowsOf(
  { start, end }: Stretch,
  { window: { samples: length, hop } }: Plan,
  passages: readonly Seam[],
): Stretch[] {
  if (end - start <= length) return [{ start, end }]
  const windows: Stretch[] = []
  for (let at = start; at + length <= end; at += hop) windows.push({ start: at, end: at + length })
  if ((windows.at(-1)?.end ?? end) < end) windows.push({ start: end - length, end })
  const whole = windows.filter((window) => !passages.some(({ at }) => window.start < at && at < window.end))
  return whole.length > 0 ? whole : withoutSeams({ start, end }, passages)
}

/** The passages themselves, for where each is shorter than a window; what the ends leave of one is left out. */
function withoutSeams({ start, end }: Stretch, passages: readonly Seam[]): Stretch[] {
  const seams = passages.map(({ at }) => at).filter((at) => start < at && at < end)
  const pieces = [start, ...seams].map((from, index) => ({ start: from, end: seams[index] ?? end }))
  const longest = Math.max(...pieces.map((each) => each.end - each.start))
  return pieces.filter((each) => each.end - each.start >= longest / 2)
}

/** Share of speech among the frames of a window, counted from the start of the trimmed sound. */
function speechShare(window: Stretch, trimmed: Stretch, { frames, hopSamples }: VoiceActivity, last: number): number {
  const first = trimmed.start / hopSamples
  const from = first + Math.floor((window.start - trimmed.start) / hopSamples)
  const to = first + Math.floor((window.end - trimmed.start) / hopSamples)
  const inside = frames.subarray(from, Math.min(to, last + 1))
  return sumOf(inside) / inside.length
}

function takeEvenly<T>(all: readonly T[], most: number): T[] {
  if (all.length <= most) return [...all]
  if (most === 1) return [all[Math.floor((all.length - 1) / 2)] as T]
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * (all.length - 1)) / (most - 1) + 0.5)] as T)
}

const sumOf = (flags: Uint8Array): number => flags.reduce((sum, flag) => sum + flag, 0)

function withoutSpeech(found: number, plan: Plan): AttestdError {
  const least = plan.minSpeechSeconds
  const words = found === 0 ? 'There is no speech in it' : `There are ${found.toFixed(2)} s of speech in it`
  return new AttestdError('media-without-speech', `${words}; the detector needs at least ${least} s.`)
}

const seconds = (samples: number, { sampleRate }: Plan): string => (samples / sampleRate).toFixed(1)

import { isAbstention } from '../../core/errors.js'
import type { ModelInput, Part, ReaderTools, ReadMedia } from '../contract/medium-reader.js'
import { spotOf } from '../contract/spot-places.js'
import type { AudioPreprocessing } from '../package/preprocessing.js'
import { encodeMuLaw, MU_LAW } from './decode/companding.js'
import { type Recording, readRecording } from './recording.js'
import { resample } from './resampler.js'
import { fillWindow, planWindows, type Stretch } from './windows.js'

const CHANNEL_WORDS = ['', 'mono', 'stereo']

/**
 * Opens a recording; its parts are windows of speech, named by their time in it, such as `4.0-7.0 s`.
 * @param isMasked whether a second input states which samples were heard
 */
export async function readAudio(
  file: string,
  plan: AudioPreprocessing,
  isMasked: boolean,
  tools: ReaderTools,
): Promise<ReadMedia> {
  const { sampleRate } = plan
  const partsOf = function* (
    recording: Recording,
    windows: readonly Stretch[],
    change = (stretch: Float32Array) => stretch,
  ): Iterable<Part> {
    for (const { start, end } of windows) {
      const values = fillWindow(leveled(change(recording.samples.subarray(start, end)), plan), plan)
      yield {
        name: nameOf({ start, end }, recording.passages, sampleRate),
        inputs: [
          { type: 'float32', values, shape: [1, values.length] },
          ...(isMasked ? [maskOf(values.length, plan.padding === 'repeat' ? values.length : end - start)] : []),
        ],
      }
    }
  }
  const whole = await readRecording(file, sampleRate, tools)
  const { speechSeconds, unheard, windows } = planWindows(whole.samples, plan, whole.passages)
  return {
    summary: `${describe(whole)}, ${speechSeconds.toFixed(1)} s speech`,
    length: whole.seconds,
    parts: () => partsOf(whole, windows),
    async *others() {
      for (const channel of whole.apart) {
        const alone = await readRecording(file, sampleRate, tools, channel)
        const speech = speechIn(alone, plan)
        if (speech !== null) yield { name: `channel ${channel + 1} alone`, parts: partsOf(alone, speech) }
      }
    },
    async *spotCheck() {
      const spot = await spotOf(file, betweenEnds(unheard, whole.passages))
      if (spot) yield { name: 'heard between the windows judged first', parts: partsOf(whole, [spot]) }
    },
    async *variants() {
      for (const name of VARIANTS)
        yield { name, parts: partsOf(whole, windows, (stretch) => varied(stretch, sampleRate, name)) }
    },
  }
}

/** The windows of a recording; null where there is nothing to judge in it. */
function speechIn({ samples, passages }: Recording, plan: AudioPreprocessing): readonly Stretch[] | null {
  try {
    return planWindows(samples, plan, passages).windows
  } catch (error) {
    if (isAbstention(error)) return null
    throw error
  }
}

/** Of a recording in passages, the windows of those that its digest selected, if there is speech in them. */
function betweenEnds(windows: readonly Stretch[], passages: Recording['passages']): readonly Stretch[] {
  const [from, to] = [passages[1]?.at ?? 0, passages.at(-1)?.at ?? 0]
  const between = windows.filter(({ start }) => start >= from && start < to)
  return between.length > 0 ? between : windows
}

/** 1 for what was heard, 0 for what a window was filled up with. */
function maskOf(length: number, heard: number): ModelInput {
  return { type: 'int64', values: new BigInt64Array(length).fill(1n, 0, heard), shape: [1, length] }
}

/** Its time in the recording, which is an estimate behind the first passage. */
function nameOf({ start, end }: Stretch, passages: Recording['passages'], rate: number): string {
  const passage = passages.findLast(({ at }) => at <= start)
  const offset = (passage?.seconds ?? 0) - (passage?.at ?? 0) / rate
  const about = passage?.seconds ? 'about ' : ''
  return `${about}${(offset + start / rate).toFixed(1)}-${(offset + end / rate).toFixed(1)} s`
}

function describe({ format, sourceRate, channels, seconds, statedSeconds, passages }: Recording): string {
  const layout = CHANNEL_WORDS[channels] ?? `${channels} channels`
  const of = passages.length > 1 ? ` in ${passages.length} passages of about ${statedSeconds?.toFixed(0)} s` : ''
  return `${format} ${sourceRate / 1000} kHz ${layout} ${seconds.toFixed(1)} s${of}`
}

/** Keeps silence from being divided by nothing; of Wav2Vec2FeatureExtractor. */
const VARIANCE_MARGIN = 1e-7

/** Samples as the plan wants them leveled: as they are, or with a mean of 0 and a variance of 1. */
export function leveled(samples: Float32Array, { normalize }: Pick<AudioPreprocessing, 'normalize'>): Float32Array {
  if (normalize === 'none') return samples
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length
  const variance = samples.reduce((sum, value) => sum + (value - mean) ** 2, 0) / samples.length
  const scale = 1 / Math.sqrt(variance + VARIANCE_MARGIN)
  return samples.map((value) => (value - mean) * scale)
}

/** What the stability probe does to a sound; none of it changes who speaks or whether it was made by a machine. */
export const VARIANTS = [
  'upper tenth of the band cut',
  'half as loud, in 8-bit mu-law',
  'upper quarter of the band cut',
] as const
type VariantName = (typeof VARIANTS)[number]

/** The same sound re-encoded, as many samples as before. @param rate samples a second */
export function varied(samples: Float32Array, rate: number, variant: VariantName): Float32Array {
  switch (variant) {
    case 'upper tenth of the band cut':
      return through(samples, rate, Math.round(rate * 0.9))
    case 'upper quarter of the band cut':
      return through(samples, rate, Math.round(rate * 0.75))
    case 'half as loud, in 8-bit mu-law':
      return samples.map((sample) => MU_LAW[encodeMuLaw(sample / 2)] as number)
  }
}

function through(samples: Float32Array, rate: number, lower: number): Float32Array {
  const back = resample(resample(samples, rate, lower), lower, rate)
  const same = new Float32Array(samples.length)
  same.set(back.subarray(0, samples.length))
  return same
}

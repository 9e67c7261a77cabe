import type { Part } from '../child/medium-reader.js'
import type { AudioPreprocessing } from '../package/preprocessing.js'
import { leveled } from './leveled.js'
import { VARIANTS, type VariantName, varied } from './variants.js'
import { fillWindow, planWindows } from './windows.js'

/** What a detector takes of one sound. */
export interface AudioParts {
  /** Seconds of speech that were found; of all sound where the plan does not look for speech. */
  readonly speechSeconds: number
  /** Windows named by their time in the sound, such as `4.0-7.0 s`, made while they are asked for. */
  parts(): Iterable<Part>
  /** The same windows of the sound, coded anew. */
  variants(): Iterable<{ readonly name: VariantName; readonly parts: Iterable<Part> }>
}

/**
 * The windows of decoded mono sound.
 * @param sound -1 to 1, at the plan's sample rate
 * @throws AttestdError media-without-speech, media-featureless, media-narrow-band
 */
export function audioParts(sound: Float32Array, plan: AudioPreprocessing): AudioParts {
  const { windows, speechSeconds } = planWindows(sound, plan)
  function* parts(change: (stretch: Float32Array) => Float32Array): Iterable<Part> {
    for (const { start, end } of windows) {
      const values = fillWindow(leveled(change(sound.subarray(start, end)), plan), plan)
      const name = `${(start / plan.sampleRate).toFixed(1)}-${(end / plan.sampleRate).toFixed(1)} s`
      yield { name, inputs: [{ type: 'float32', values, shape: [1, values.length] }] }
    }
  }
  return {
    speechSeconds,
    parts: () => parts((stretch) => stretch),
    *variants() {
      for (const name of VARIANTS) yield { name, parts: parts((stretch) => varied(stretch, plan.sampleRate, name)) }
    },
  }
}

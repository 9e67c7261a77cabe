import { AttestdError } from '../../core/errors.js'
import type { MediumReader, Part } from '../contract/medium-reader.js'
import { leveled } from './leveled.js'
import { type Recording, readRecording } from './recording.js'
import { VARIANTS, varied } from './variants.js'
import { fillWindow, planWindows } from './windows.js'

const CHANNEL_WORDS = ['', 'mono', 'stereo']

/** Opens a recording; its parts are windows of speech, named by their time in it, such as `4.0-7.0 s`. */
export const readAudio: MediumReader = async (file, { preprocessing: plan }, tools) => {
  if (plan.kind !== 'audio') throw new AttestdError('internal-error', 'The package does not read audio.')
  const recording = await readRecording(file, plan.sampleRate, tools)
  const { windows, speechSeconds } = planWindows(recording.samples, plan)
  const { sampleRate } = plan
  const partsOf = function* (change: (stretch: Float32Array) => Float32Array): Iterable<Part> {
    for (const { start, end } of windows) {
      const values = fillWindow(leveled(change(recording.samples.subarray(start, end)), plan), plan)
      const name = `${(start / sampleRate).toFixed(1)}-${(end / sampleRate).toFixed(1)} s`
      yield { name, inputs: [{ type: 'float32', values, shape: [1, values.length] }] }
    }
  }
  return {
    summary: `${describe(recording)}, ${speechSeconds.toFixed(1)} s speech`,
    length: recording.seconds,
    parts: () => partsOf((stretch) => stretch),
    async *variants() {
      for (const name of VARIANTS) yield { name, parts: partsOf((stretch) => varied(stretch, sampleRate, name)) }
    },
  }
}

function describe({ format, sourceRate, channels, seconds, isCut }: Recording): string {
  const layout = CHANNEL_WORDS[channels] ?? `${channels} channels`
  return `${format} ${sourceRate / 1000} kHz ${layout} ${isCut ? 'first ' : ''}${seconds.toFixed(1)} s`
}

import { AttestdError } from '../../core/errors.js'
import type { MediumReader } from '../child/medium-reader.js'
import { audioParts } from './audio-parts.js'
import { type Recording, readRecording } from './recording.js'

const CHANNEL_WORDS = ['', 'mono', 'stereo']

/** Opens a recording; its parts are windows of speech. */
export const readAudio: MediumReader = async (file, { preprocessing }, tools) => {
  if (preprocessing.kind !== 'audio') throw new AttestdError('internal-error', 'The package does not read audio.')
  const recording = await readRecording(file, preprocessing.sampleRate, tools)
  const { speechSeconds, parts, variants } = audioParts(recording.samples, preprocessing)
  return {
    says: `${describe(recording)}, ${speechSeconds.toFixed(1)} s speech`,
    length: recording.seconds,
    parts,
    async *variants() {
      yield* variants()
    },
  }
}

function describe({ format, sourceRate, channels, seconds, isCut }: Recording): string {
  const layout = CHANNEL_WORDS[channels] ?? `${channels} channels`
  return `${format} ${sourceRate / 1000} kHz ${layout} ${isCut ? 'first ' : ''}${seconds.toFixed(1)} s`
}

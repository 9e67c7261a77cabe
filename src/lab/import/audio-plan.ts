import type { AudioPreprocessing } from '../../detect/package/preprocessing.js'
import type { PreprocessorConfig } from './hugging-face-export.js'
import { SERVE_IT, unsupported } from './import-error.js'
import type { PreprocessingPlan } from './preprocessing-plan.js'

/** Feature extractors that hand on the waveform; all others make spectrograms. */
const WAVEFORM_EXTRACTORS = ['Wav2Vec2FeatureExtractor', 'Wav2Vec2Processor']
/** Longest sound that is heard in one piece where the network takes any length, seconds: attention costs the square of it. */
const WHOLE_SECONDS = 20
const MAX_WINDOWS = 16
/** Every import hears all of a recording, since no feature extractor looks for speech. */
const NO_SPEECH_SEARCH =
  'Speech is not looked for: silence is scored too, and music (minSpeechShare, minSpeechSeconds).'

/**
 * The preprocessing of an export that takes raw sound.
 * @param windowSeconds length of the clips that it was trained on, as a person states it; null where nobody does
 * @param fixedSamples the only length that the network takes; null where it takes any
 * @throws AttestdError import-unsupported
 */
export function audioPlan(
  config: PreprocessorConfig | null,
  windowSeconds: number | null,
  fixedSamples: number | null,
): PreprocessingPlan<AudioPreprocessing> {
  if (config === null)
    throw unsupported(
      'A network with an input of two dimensions is taken for an audio model, which needs preprocessor_config.json.',
      `Copy that file from the original model into the export. If the input is no raw sound: ${SERVE_IT}`,
    )
  const { feature_extractor_type: extractor, sampling_rate: sampleRate } = config
  if (extractor !== undefined && !WAVEFORM_EXTRACTORS.includes(extractor)) {
    throw unsupported(
      `The export takes the output of ${extractor}; only models of the raw waveform (${WAVEFORM_EXTRACTORS[0]}) are supported.`,
      SERVE_IT,
    )
  }
  if (sampleRate === undefined) throw unsupported('preprocessor_config.json: sampling_rate is missing.')
  const stated = windowSeconds === null ? null : Math.round(windowSeconds * sampleRate)
  if (stated !== null && fixedSamples !== null && stated !== fixedSamples)
    throw unsupported(`The network takes ${fixedSamples} samples, not the ${stated} of --window-seconds; leave it out.`)
  const length = fixedSamples ?? stated
  const samples = length ?? WHOLE_SECONDS * sampleRate
  return {
    preprocessing: {
      kind: 'audio',
      sampleRate,
      window: { samples, hop: samples },
      maxWindows: MAX_WINDOWS,
      padding: length === null ? 'none' : 'zero',
      minSpeechShare: 0,
      minSpeechSeconds: 0,
      normalize: (config.do_normalize ?? true) ? 'zero-mean-unit-variance' : 'none',
    },
    guesses:
      length === null
        ? [
            NO_SPEECH_SEARCH,
            `A recording is heard at its own length, one over ${WHOLE_SECONDS} s in windows of that length (--window-seconds).`,
          ]
        : [NO_SPEECH_SEARCH],
  }
}

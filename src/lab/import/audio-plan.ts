import type { AudioPreprocessing } from '../../detect/package/preprocessing.js'
import type { PreprocessorConfig } from './hugging-face-export.js'
import { unsupported } from './import-error.js'
import type { PreprocessingPlan } from './preprocessing-plan.js'

/** Feature extractors that hand on the waveform; all others make spectrograms. */
const WAVEFORM_EXTRACTORS = ['Wav2Vec2FeatureExtractor', 'Wav2Vec2Processor']
/** Length of a window where nobody states otherwise, seconds: what most deepfake corpora are cut to. */
const DEFAULT_WINDOW_SECONDS = 4
const MAX_WINDOWS = 16
/** As the package of attestd asks for. */
const MIN_SPEECH = { share: 0.3, seconds: 0.5 } as const

/**
 * The preprocessing of an export that takes raw sound.
 * @throws AttestdError import-unsupported
 */
export function audioPlan(
  config: PreprocessorConfig | null,
  windowSeconds: number | null,
): PreprocessingPlan<AudioPreprocessing> {
  if (config === null) throw unsupported('An audio model needs preprocessor_config.json.')
  const { feature_extractor_type: extractor, sampling_rate: sampleRate } = config
  if (extractor !== undefined && !WAVEFORM_EXTRACTORS.includes(extractor)) {
    throw unsupported(
      `The export takes the output of ${extractor}; only models of the raw waveform (${WAVEFORM_EXTRACTORS[0]}) are supported.`,
    )
  }
  if (sampleRate === undefined) throw unsupported('preprocessor_config.json: sampling_rate is missing.')
  const samples = Math.round((windowSeconds ?? DEFAULT_WINDOW_SECONDS) * sampleRate)
  return {
    preprocessing: {
      kind: 'audio',
      sampleRate,
      window: { samples, hop: samples },
      maxWindows: MAX_WINDOWS,
      padding: 'zero',
      minSpeechShare: MIN_SPEECH.share,
      minSpeechSeconds: MIN_SPEECH.seconds,
      normalize: (config.do_normalize ?? true) ? 'zero-mean-unit-variance' : 'none',
    },
    guesses:
      windowSeconds === null
        ? [
            `The export does not say how long its training clips were; windows of ${DEFAULT_WINDOW_SECONDS} s were taken (--window-seconds).`,
          ]
        : [],
  }
}

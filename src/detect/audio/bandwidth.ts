import { AttestdError } from '../../core/errors.js'
import type { AudioPreprocessing } from '../package/preprocessing.js'
import { hannWindow, PowerSpectrum } from './fourier.js'
import type { VoiceActivity } from './voice-activity.js'

/**
 * Share of the power of speech that may lie above the bandwidth, -50 dB. Of the speech of the project's audio pack, wide
 * recordings then have 5.1 kHz or more and those sent through an 8 kHz channel 3.7 to 4.5 kHz.
 */
const SHARE_ABOVE = 1e-5

/** The frequency, Hz, below which all but `SHARE_ABOVE` of the power of the speech lies; 0 where there is no speech. */
function bandwidthOf(samples: Float32Array, voice: VoiceActivity, rate: number): number {
  const { frames, frameSamples, hopSamples } = voice
  const spectrum = new PowerSpectrum(2 ** Math.ceil(Math.log2(frameSamples)), hannWindow(frameSamples))
  const total = new Float64Array(spectrum.size / 2 + 1)
  for (const [frame, flag] of frames.entries()) {
    if (flag === 0) continue
    const powers = spectrum.of(samples, frame * hopSamples, 0, total.length - 1)
    for (let bin = 0; bin < total.length; bin++) total[bin] = (total[bin] as number) + (powers[bin] as number)
  }
  const allowed = SHARE_ABOVE * total.reduce((sum, power) => sum + power, 0)
  let above = 0
  let bin = total.length
  while (bin > 0 && above <= allowed) above += total[--bin] as number
  return above <= allowed ? 0 : ((bin + 1) * rate) / spectrum.size
}

/** @throws AttestdError media-narrow-band where the plan states a least bandwidth and the speech does not reach it */
export function refuseNarrowBand(samples: Float32Array, voice: VoiceActivity, plan: AudioPreprocessing): void {
  const { minBandwidthHz, sampleRate } = plan
  if (minBandwidthHz === undefined) return
  const bandwidth = bandwidthOf(samples, voice, sampleRate)
  if (bandwidth >= minBandwidthHz) return
  throw new AttestdError(
    'media-narrow-band',
    `The speech ends at ${Math.round(bandwidth)} Hz, as over a telephone; the detector needs ${minBandwidthHz} Hz.`,
  )
}

import { sigmoid } from '../../src/detect/scoring/calibration.js'
import { writePackage } from './detector-package.js'
import { tinySoundOnnx } from './detector-tiny-onnx.js'
import { speechLike } from './speech.js'
import { wavFile } from './wav-file.js'

const RATE = 16_000
/** Gain and bias of the tiny network: the louder, the riskier. */
export const TINY_GAIN = 8
export const TINY_SOUND_BIAS = -0.5

/** The plan of the tiny package: windows of a second, half over each other. */
export const TINY_AUDIO_PLAN = {
  kind: 'audio' as const,
  sampleRate: RATE,
  window: { samples: RATE, hop: RATE / 2 },
  maxWindows: 8,
  padding: 'repeat' as const,
  minSpeechShare: 0.4,
  minSpeechSeconds: 0.5,
  normalize: 'none' as const,
}

/** Mean of the magnitudes, which the tiny network looks at. */
export function loudnessOf(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + Math.abs(sample), 0) / samples.length
}

/** Writes a small but complete audio package. @param manifest fields that replace those of the manifest */
export async function writeTinyAudioPackage(modelsDir: string, manifest: Record<string, unknown> = {}): Promise<void> {
  const sample = speechLike(1, RATE)
  const files = {
    'model.onnx': tinySoundOnnx(TINY_GAIN, TINY_SOUND_BIAS),
    'selftest.wav': wavFile(sample, { rate: RATE }),
  }
  const risk = sigmoid(TINY_GAIN * loudnessOf(sample) + TINY_SOUND_BIAS)
  await writePackage(modelsDir, 'tiny-audio', files, {
    mediaTypes: ['audio'],
    runtime: { kind: 'onnx', model: 'model.onnx', input: 'samples', output: 'logit' },
    preprocessing: TINY_AUDIO_PLAN,
    selfTest: { file: 'selftest.wav', risk, tolerance: 0.01 },
    ...manifest,
  })
}

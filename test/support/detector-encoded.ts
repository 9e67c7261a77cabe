import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import { packagePath } from '../../src/core/files.js'
import { sigmoid } from '../../src/detect/scoring/calibration.js'
import { loudnessOf, TINY_AUDIO_PLAN } from './detector-audio.js'
import { tinyManifest, writePackage } from './detector-package.js'
import { tinyEncodedOnnx, tinyEncoderOnnx, tinyHeadOnnx, tinyViewOnnx } from './detector-tiny-onnx.js'
import { speechLike } from './speech.js'
import { wavFile } from './wav-file.js'

/** The one size of a picture that the encoder takes, px. */
const SIDE = 48
const SCALE = 2
const TINTS = [0.5, -1, 2] as const
const HEAD = { weights: [2, 1, -1], gain: 12, bias: -0.5 } as const

/** The logit that the encoded package gives a sound of this loudness: features of its color, the loudness itself, the bias. */
export function encodedLogit(loudness: number): number {
  const seen = TINTS.reduce((sum, tint, at) => sum + (HEAD.weights[at] as number) * SCALE * tint * loudness, 0)
  return seen + HEAD.gain * loudness + HEAD.bias
}

interface EncoderOptions {
  /** What its features are multiplied by. @default that of `encodedLogit` */
  scale?: number
  /** Fields that replace those of the manifest. */
  manifest?: Record<string, unknown>
}

/** Runtime of the package that others name as their encoder. */
export const ENCODER_RUNTIME = {
  kind: 'onnx-views',
  whole: 'whole.onnx',
  input: 'pixels',
  output: 'logit',
  features: 'features',
}

/** What both packages over the encoder state but for their runtime and files. */
const PICTURES = {
  preprocessing: {
    kind: 'image-views',
    whole: { shortSide: SIDE, maxAspect: 1, kernel: 'cubic' },
    normalize: { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] },
  },
  fusion: { withoutFaces: { intercept: 0, whole: 1 } },
  selfTest: { file: 'selftest.jpg', risk: 0.5, tolerance: 0.5 },
}

/** Writes the image package `tiny-encoder`, whose network for the whole picture also gives features. */
export async function writeEncoderPackage(
  modelsDir: string,
  { scale = SCALE, manifest }: EncoderOptions = {},
): Promise<string> {
  const files = {
    'whole.onnx': tinyEncoderOnnx(scale, SIDE),
    'selftest.jpg': await fs.readFile(packagePath('samples', 'coffee.jpg')),
  }
  return writePackage(modelsDir, 'tiny-encoder', files, { runtime: ENCODER_RUNTIME, ...PICTURES, ...manifest })
}

/** Of the head of `writeHeadPackage`: `gain * mean(features) + bias`. */
const ON_ITS_OWN = { gain: 3, bias: 0.5 } as const

/** The logit that the package with a head gives a picture of one color. */
export function headLogit({ r, g, b }: { r: number; g: number; b: number }): number {
  const mean = (r + g + b) / 3
  return ON_ITS_OWN.gain * SCALE * ((mean / 255 - 0.5) / 0.25) + ON_ITS_OWN.bias
}

/** Writes the image package `tiny-head`: its own head over the encoder whose file lies in the folder of `tiny-encoder`. */
export async function writeHeadPackage(modelsDir: string, runtime: Record<string, unknown> = {}): Promise<string> {
  const files = {
    'head.onnx': tinyHeadOnnx(ON_ITS_OWN.gain, ON_ITS_OWN.bias),
    'selftest.jpg': await fs.readFile(packagePath('samples', 'coffee.jpg')),
  }
  const encoder = tinyEncoderOnnx(SCALE, SIDE)
  const shared = {
    sha256: createHash('sha256').update(encoder).digest('hex'),
    bytes: encoder.length,
    of: 'tiny-encoder',
  }
  return writePackage(modelsDir, 'tiny-head', files, {
    runtime: { ...ENCODER_RUNTIME, head: 'head.onnx', ...runtime },
    files: { ...(tinyManifest('tiny-head', files).files as Record<string, unknown>), 'whole.onnx': shared },
    ...PICTURES,
  })
}

export interface EncodedOptions {
  /** Names that a test may spoil. */
  pixels?: string
  inputs?: readonly [string, string]
  /** Side of the pictures that the view draws, px. @default what the encoder takes */
  side?: number
  /** Fields that replace those of the runtime. */
  runtime?: Record<string, string>
}

/** Writes the audio package `tiny-encoded`, which judges a sound by what the encoder sees in its picture. */
export function writeEncodedPackage(
  modelsDir: string,
  { pixels, inputs, side = SIDE, runtime }: EncodedOptions = {},
): Promise<string> {
  const { sampleRate } = TINY_AUDIO_PLAN
  const sample = speechLike(1, sampleRate)
  const files = {
    'view.onnx': tinyViewOnnx(TINTS, side, pixels),
    'model.onnx': tinyEncodedOnnx(HEAD, inputs),
    'selftest.wav': wavFile(sample, { rate: sampleRate }),
  }
  return writePackage(modelsDir, 'tiny-encoded', files, {
    mediaTypes: ['audio'],
    runtime: {
      kind: 'onnx-encoded',
      view: 'view.onnx',
      input: 'samples',
      encoder: 'tiny-encoder',
      model: 'model.onnx',
      output: 'logit',
      ...runtime,
    },
    preprocessing: TINY_AUDIO_PLAN,
    selfTest: { file: 'selftest.wav', risk: sigmoid(encodedLogit(loudnessOf(sample))), tolerance: 0.01 },
  })
}

import fs from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { packagePath } from '../../src/core/files.js'
import type { FaceView } from '../../src/detect/package/image-views.js'
import { TINY_BIAS, TINY_WEIGHTS, tinyLogit, writePackage } from './detector-package.js'
import { tinyOnnx } from './detector-tiny-onnx.js'

/** Name of the face finder in the package. */
export const FACES_FILE = 'faces.onnx'
export const FACES_PLAN: FaceView = {
  finder: FACES_FILE,
  side: 320,
  closerSide: 640,
  minConfidence: 0.9,
  minSide: 24,
  margin: 0.2,
  maxFaces: 4,
  size: 32,
}
/** Of the face network of the package: how green a face is. */
export const FACE_WEIGHTS = [0, 3, 0] as const
export const FUSION = {
  withoutFaces: { intercept: -0.5, whole: 1.25 },
  withFaces: { intercept: 0.25, whole: 0.75, face: 1 },
}
/** What the networks of the package take: bytes become (byte / 255 - 0.5) / 0.25. */
const NORMALIZE = { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] }

/** The logit that the package gives a picture of one color without faces. */
export function viewsLogit(color: { r: number; g: number; b: number }): number {
  const { intercept, whole } = FUSION.withoutFaces
  return intercept + whole * tinyLogit(color)
}

/** A package for several views: tiny networks for whole and faces, and the shipped face finder; gives its folder. */
export async function writeViewsPackage(modelsDir: string, fields: Record<string, unknown> = {}): Promise<string> {
  const files = {
    'tiny.onnx': tinyOnnx(TINY_WEIGHTS, TINY_BIAS),
    'face.onnx': tinyOnnx(FACE_WEIGHTS, 0),
    [FACES_FILE]: await fs.readFile(packagePath('models', 'attestd-image', FACES_FILE)),
    'selftest.jpg': await fs.readFile(packagePath('samples', 'coffee.jpg')),
  }
  return writePackage(modelsDir, 'tiny-views', files, {
    runtime: {
      kind: 'onnx-views',
      whole: 'tiny.onnx',
      face: 'face.onnx',
      input: 'pixels',
      output: 'logit',
    },
    preprocessing: {
      kind: 'image-views',
      whole: { shortSide: 48, maxAspect: 1.5, kernel: 'lanczos3' },
      faces: FACES_PLAN,
      normalize: NORMALIZE,
    },
    fusion: FUSION,
    selfTest: { file: 'selftest.jpg', risk: 0.5, tolerance: 0.5 },
    ...fields,
  })
}

/** A package that looks at the whole picture alone, by a packed network; gives its folder. */
export async function writeWholePackage(
  modelsDir: string,
  pack: (network: Uint8Array) => Uint8Array = gzipSync,
): Promise<string> {
  const files = {
    'whole.onnx.gz': pack(tinyOnnx(TINY_WEIGHTS, TINY_BIAS)),
    'selftest.jpg': await fs.readFile(packagePath('samples', 'coffee.jpg')),
  }
  return writePackage(modelsDir, 'tiny-views', files, {
    runtime: { kind: 'onnx-views', whole: 'whole.onnx.gz', input: 'pixels', output: 'logit' },
    preprocessing: {
      kind: 'image-views',
      whole: { shortSide: 48, maxAspect: 1, kernel: 'cubic' },
      normalize: NORMALIZE,
    },
    fusion: { withoutFaces: { intercept: 0, whole: 1 } },
    selfTest: { file: 'selftest.jpg', risk: 0.5, tolerance: 0.5 },
  })
}

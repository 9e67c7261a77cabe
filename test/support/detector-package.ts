import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { type DetectorManifest, parseManifest } from '../../src/detect/package/manifest.js'
import { sigmoid } from '../../src/detect/scoring/calibration.js'
import { tinyOnnx } from './detector-tiny-onnx.js'

/** Stand for the files that a manifest must list, where none is read. */
export const NO_FILES = { 'model.onnx': Buffer.from('m'), 'selftest.png': Buffer.from('s') }
/** Side of the square sample image, px. */
const SAMPLE_SIDE = 64
const SAMPLE_COLOR = { r: 200, g: 100, b: 50 }
/** Weights of the tiny network: how red an image is against how blue, so that most images get a score of their own. */
export const TINY_WEIGHTS = [3, -1, -2] as const
export const TINY_BIAS = 0.25

/** The logit that the tiny package gives an image of one color. */
export function tinyLogit({ r, g, b }: { r: number; g: number; b: number }): number {
  const [x, y, z] = [r, g, b].map((byte) => (byte / 255 - 0.5) / 0.25) as [number, number, number]
  return TINY_WEIGHTS[0] * x + TINY_WEIGHTS[1] * y + TINY_WEIGHTS[2] * z + TINY_BIAS
}

export interface TinyPackage {
  id?: string
  /** Fields that replace those of the manifest. */
  manifest?: Record<string, unknown>
  model?: Uint8Array
  /** Whether the model is packed by gzip. */
  packed?: boolean
}

/** Writes a small but complete detector package into `modelsDir` and gives its folder. */
export async function writeTinyPackage(modelsDir: string, options: TinyPackage = {}): Promise<string> {
  const size = { width: SAMPLE_SIDE, height: SAMPLE_SIDE }
  const sample = await sharp({ create: { ...size, channels: 3, background: SAMPLE_COLOR } })
    .png()
    .toBuffer()
  const name = options.packed ? 'model.onnx.gz' : 'model.onnx'
  const files = { [name]: options.model ?? tinyOnnx(TINY_WEIGHTS, TINY_BIAS), 'selftest.png': sample }
  const runtime = { kind: 'onnx', model: name, input: 'pixels', output: 'logit' }
  return writePackage(modelsDir, options.id ?? 'tiny-image', files, { runtime, ...options.manifest })
}

/** Writes a package of any kind: its files, and the manifest of the tiny one with fields replaced. */
export async function writePackage(
  modelsDir: string,
  id: string,
  files: Readonly<Record<string, Uint8Array>>,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const folder = path.join(modelsDir, id)
  await fs.mkdir(folder, { recursive: true })
  for (const [name, data] of Object.entries(files)) await fs.writeFile(path.join(folder, name), data)
  const manifest = { ...tinyManifest(id, files), ...fields }
  await fs.writeFile(path.join(folder, 'detector.json'), JSON.stringify(manifest, null, 2))
  return folder
}

/** The manifest of the tiny package, as plain data that a test may spoil. */
export function tinyManifest(id: string, files: Record<string, Uint8Array>): Record<string, unknown> {
  return {
    schema: 1,
    id,
    version: '1.0.0',
    title: 'Tiny network for tests',
    mediaTypes: ['image'],
    runtime: { kind: 'onnx', model: 'model.onnx', input: 'pixels', output: 'logit' },
    files: Object.fromEntries(Object.entries(files).map(([name, data]) => [name, describeFile(data)])),
    preprocessing: {
      kind: 'image',
      resize: { shortSide: 40, kernel: 'lanczos3' },
      crops: { size: 32, positions: 'five' },
      normalize: { mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] },
    },
    outputKind: 'logit',
    aggregation: 'mean',
    calibration: { kind: 'identity' },
    decisionBand: { low: 0.45, high: 0.55 },
    selfTest: { file: 'selftest.png', risk: sigmoid(tinyLogit(SAMPLE_COLOR)), tolerance: 0.001 },
    training: { data: 'none', license: 'none' },
    license: 'Apache-2.0',
  }
}

/** The tiny manifest as the loader reads it, with fields replaced; for what needs no files. */
export function parsedTinyManifest(id: string, fields: Record<string, unknown> = {}): DetectorManifest {
  return parseManifest(JSON.stringify({ ...tinyManifest(id, NO_FILES), ...fields }), id)
}

function describeFile(data: Uint8Array): { sha256: string; bytes: number } {
  return { sha256: createHash('sha256').update(data).digest('hex'), bytes: data.length }
}

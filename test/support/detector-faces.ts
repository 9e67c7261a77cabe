import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { packagePath } from '../../src/core/files.js'
import type { FacePlan } from '../../src/detect/package/preprocessing.js'
import { type tinyManifest, writeTinyPackage } from './detector-package.js'

/** Name of the face finder in the package. */
export const FACES_FILE = 'faces.onnx'
export const FACES_PLAN: FacePlan = {
  model: FACES_FILE,
  minConfidence: 0.9,
  minSide: 24,
  margin: 0.2,
  maxFaces: 4,
  size: 32,
  combine: 'max',
}

/** The tiny package with the shipped face finder beside its network; gives its folder. */
export async function writeFacePackage(modelsDir: string, plan: Partial<FacePlan> = {}): Promise<string> {
  const finder = await fs.readFile(packagePath('models', 'attestd-image', FACES_FILE))
  const folder = await writeTinyPackage(modelsDir)
  await fs.writeFile(path.join(folder, FACES_FILE), finder)
  const manifest = JSON.parse(await fs.readFile(path.join(folder, 'detector.json'), 'utf8')) as ReturnType<
    typeof tinyManifest
  >
  const file = { sha256: createHash('sha256').update(finder).digest('hex'), bytes: finder.length }
  const withFaces = {
    ...manifest,
    files: { ...(manifest.files as object), [FACES_FILE]: file },
    preprocessing: { ...(manifest.preprocessing as object), faces: { ...FACES_PLAN, ...plan } },
  }
  await fs.writeFile(path.join(folder, 'detector.json'), JSON.stringify(withFaces))
  return folder
}

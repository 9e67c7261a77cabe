import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type LoadedPackage, loadPackage } from '../../src/detect/package/package-loader.js'
import { writeTinyPackage } from './detector-package.js'

/** The tiny package as it is loaded, for the tests of a file; call it at its top. @returns it, once they run */
export function tinyLoaded(): () => LoadedPackage {
  let models: string
  let detector: LoadedPackage
  beforeAll(async () => {
    models = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-figures-'))
    detector = await loadPackage(await writeTinyPackage(models))
  })
  afterAll(() => fs.rm(models, { recursive: true }))
  return () => detector
}

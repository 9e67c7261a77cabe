import { beforeAll } from 'vitest'
import { type LoadedPackage, loadPackage } from '../../src/detect/package/package-loader.js'
import { writeTinyPackage } from './detector-package.js'
import { folderForAll } from './temporary-folder.js'

/** The tiny package as it is loaded, for the tests of a file; call it at its top. @returns it, once they run */
export function tinyLoaded(): () => LoadedPackage {
  const models = folderForAll()
  let detector: LoadedPackage
  beforeAll(async () => {
    detector = await loadPackage(await writeTinyPackage(models))
  })
  return () => detector
}

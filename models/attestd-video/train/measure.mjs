/** Loads the package's detector as a detector process does, without the self-test, so that its own risk can be restated. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const ROOT = join(import.meta.dirname, '../../..')
/** The package named on the command line, else attestd-video. */
export const PACKAGE = join(import.meta.dirname, '../..', process.argv[2] ?? 'attestd-video')

export const built = (path) => import(pathToFileURL(join(ROOT, 'dist', path)).href)

/**
 * @param {string | null} ffmpeg absolute path
 * @param {object} [otherwise] fields of the preprocessing that differ from the manifest, for comparison
 * @param {string | null} [images] folder of the package that scores frames instead of the one beside this
 */
export async function openPackage(ffmpeg, otherwise = {}, images = null) {
  const { loadPackage, loadOrder } = await built('detect/package/package-loader.js')
  const { loadChildDetector } = await built('detect/child/load-child-detector.js')
  const { calibrate } = await built('detect/scoring/calibration.js')
  const { ParserWatch } = await built('detect/contract/parser-watch.js')
  const { systemClock } = await built('core/clock.js')
  const shipped = await loadPackage(PACKAGE)
  const preprocessing = { ...shipped.manifest.preprocessing, ...otherwise }
  const scorer = images === null ? null : await loadPackage(images)
  const uses = shipped.uses.map((each) => (each.manifest.id === scorer?.manifest.id ? scorer : each))
  const pack = { ...shipped, uses, manifest: { ...shipped.manifest, preprocessing } }
  // Nobody watches here: the clips are our own.
  const parsers = new ParserWatch(systemClock, () => {})
  const tools = { timeoutSeconds: 600, ffmpeg, clock: systemClock, parsers }
  const loaded = new Map()
  for (const each of loadOrder([pack])) loaded.set(each.manifest.id, await loadChildDetector(each, tools, loaded))
  const { manifest } = pack
  return {
    manifest,
    used: pack.uses.map((each) => `${each.manifest.id}@${each.manifest.version}`),
    measure: (file) => loaded.get(manifest.id).measure(file),
    risk: (rawScore, length) => calibrate(rawScore, manifest.calibration, length),
  }
}

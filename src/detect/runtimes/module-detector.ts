import fs from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { Clock } from '../../core/clock.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { ChildDetector } from '../contract/child-detector.js'
import type { Measurement } from '../contract/measurement.js'
import { manifestRefused } from '../package/manifest-refused.js'
import type { DetectorPackage } from '../package/package-loader.js'
import { readPackageFile } from '../package/read-package-file.js'
import type { ModuleRuntime } from '../package/runtime.js'
import { abstention, fileScoreOf } from './file-score.js'

/** Files of a package that no score may hang on: the manifest itself, words for people, what an evaluation wrote. */
const NO_PART_OF_IT = /^(?:detector\.json|LICENSE[^/]*|(?:.*\/)?[^/]*\.md|evaluation\/[^/]*\.(?:json|html|csv))$/

const moduleShape = z.looseObject({ createDetector: z.custom<CreateDetector>(isFunction, 'must be a function') })
const detectorShape = z.looseObject({ measure: z.custom<ModuleMeasure>(isFunction, 'must be a function') })

type CreateDetector = (options: Pick<DetectorPackage, 'folder' | 'manifest'>) => unknown
type ModuleMeasure = (file: string) => unknown

/**
 * Imports the package's module, after checking that every file of the package still has its stated digest, and lets
 * it make its detector. The module runs with all rights of the detector process: it can read what the daemon's user
 * can read and open connections. A package of this kind is code that is trusted as the daemon itself is.
 * @throws AttestdError model-digest-mismatch, manifest-invalid (does not load, or is of another shape)
 */
export async function loadModuleDetector(
  pack: DetectorPackage,
  runtime: ModuleRuntime,
  clock: Clock,
): Promise<ChildDetector> {
  const { manifest } = pack
  await refuseUnlisted(pack)
  for (const name of Object.keys(manifest.files)) await readPackageFile(pack, name)
  const detector = await make(pack, runtime)
  return {
    pack,
    async measure(file): Promise<Measurement> {
      const began = clock.monotonic()
      const result = fileScoreOf(await named(manifest.id, () => detector.measure(file)), pack, 'module')
      const infer = clock.monotonic() - began
      return { ...result, variants: [], elapsedMs: { decode: 0, infer } }
    },
  }
}

/**
 * Whatever a module can import or read from its own folder must be listed, or a score could change without the package's
 * digest, by which verdicts are kept and admissions given. What it takes from elsewhere is as trusted as the module.
 */
async function refuseUnlisted({ folder, manifest }: DetectorPackage): Promise<void> {
  const unlisted = (await filesOfModule(folder)).find((name) => !Object.hasOwn(manifest.files, name))
  if (unlisted === undefined) return
  throw manifestRefused(manifest.id, 'files', `must list ${unlisted}, which its module could use`)
}

/** What the manifest of a module must list: the paths of all files of its folder but those for people. */
export async function filesOfModule(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((name) => !NO_PART_OF_IT.test(name))
}

async function make({ folder, manifest }: DetectorPackage, runtime: ModuleRuntime) {
  const file = path.join(folder, runtime.module)
  try {
    const { createDetector } = moduleShape.parse(await import(pathToFileURL(file).href))
    return detectorShape.parse(await createDetector({ folder, manifest }))
  } catch (error) {
    const how = error instanceof z.ZodError ? z.prettifyError(error) : errorText(error)
    throw new AttestdError('manifest-invalid', `The module ${file} of ${manifest.id} cannot be used: ${how}`, {
      cause: error,
    })
  }
}

/** A module may state why it abstains: an error with a `reason` of the list, of kind abstain. Any other is a failure. */
async function named<T>(id: string, work: () => T): Promise<Awaited<T>> {
  try {
    return await work()
  } catch (error) {
    const reason = z.looseObject({ reason: z.string() }).safeParse(error).data?.reason
    const abstained = abstention(reason)
    const message = abstained ? errorText(error) : `${errorText(error)} (thrown by the module of ${id})`
    throw new AttestdError(abstained ?? 'detector-failed', message, { cause: error })
  }
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

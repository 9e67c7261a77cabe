import fs from 'node:fs/promises'
import path from 'node:path'
import { AttestdError } from '../../core/errors.js'
import { sha256OfFile } from '../../core/files.js'
import type { DetectorSummary } from './detector-summary.js'
import { type DetectorManifest, MANIFEST_FILE, manifestDigest, parseManifest } from './manifest.js'
import { folderOfFile } from './package-file.js'
import { choicesIn, type DetectorChoice, OTHERS, partInScores } from './selection.js'
import { checkUsed, digestWithUsed, usedBy } from './used-packages.js'

/** A manifest is text of a few KB; anything far above is a mistake. */
const MAX_MANIFEST_BYTES = 1024 * 1024

/** A package whose manifest was checked and whose files have the stated sizes and digests. */
export interface DetectorPackage {
  readonly folder: string
  readonly manifest: DetectorManifest
  /** sha256 (64 hex) of the manifest text; where other packages do the work, of that and theirs. */
  readonly digest: string
}

/** A verified package together with those that it names to do its work, and those that these name, before them. */
export interface LoadedPackage extends DetectorPackage {
  readonly uses: readonly DetectorPackage[]
}

/** A package that was chosen to score, with its part in the scores. */
export interface SelectedPackage extends LoadedPackage {
  readonly weight: number
  /** Measured, never submitted. */
  readonly shadow: boolean
  /** Percent of the assets that it scores as a candidate; absent for one that is none. */
  readonly canary?: number
  /** A shadow because no list names it. */
  readonly unlisted?: boolean
}

/** Where packages lie and which are wanted. */
export interface LoadPackagesOptions {
  /** Folder that holds one folder per package. */
  readonly modelsDir: string
  /** Packages to load; see `choicesIn`. Variants of others in the folder are loaded only where they are named. */
  readonly detectors: readonly DetectorChoice[]
}

/**
 * Reads and verifies the selected packages, in the order of their ids as given (or by name where none is).
 * @throws AttestdError setting-invalid, manifest-invalid, model-digest-mismatch
 */
export async function loadPackages({ modelsDir, detectors }: LoadPackagesOptions): Promise<SelectedPackage[]> {
  const models = new ModelsFolder(modelsDir)
  const available = await models.ids()
  const choices = choicesIn(available, detectors)
  if (choices.length === 0) {
    throw new AttestdError('setting-invalid', `The models directory ${modelsDir} holds no detector package.`)
  }
  const readChoice = async (choice: DetectorChoice): Promise<SelectedPackage[]> => {
    if (!available.includes(choice.id)) throw unknownDetector(choice.id, modelsDir, available)
    const pack = await models.read(choice.id)
    if (!detectors.includes(choice) && available.includes(pack.manifest.variantOf ?? '')) return []
    return [{ ...(await withUsed(pack, models)), ...partInScores(choice, pack.manifest) }]
  }
  const distinct = [...new Map(choices.map((one) => [one.id, one])).values()]
  const packages = (await Promise.all(distinct.map(readChoice))).flat()
  if (packages.every(({ shadow }) => shadow)) {
    throw new AttestdError('setting-invalid', 'Every selected detector is a shadow, so nothing would be scored.', {
      fix: 'Name one in ATTESTD_DETECTORS (--detectors) without =shadow.',
    })
  }
  return packages
}

/** Whether there is a package for every chosen id; reads none. @throws AttestdError setting-invalid */
export async function checkChosen({ modelsDir, detectors }: LoadPackagesOptions): Promise<void> {
  const available = await packageFolders(modelsDir)
  const unknown = detectors.find(({ id }) => id !== OTHERS && !available.includes(id))
  if (unknown !== undefined) throw unknownDetector(unknown.id, modelsDir, available)
}

/** Verifies a package folder and the packages that it names. @throws manifest-invalid, model-digest-mismatch */
export async function loadPackage(packageFolder: string): Promise<LoadedPackage> {
  const models = new ModelsFolder(path.dirname(path.resolve(packageFolder)))
  return withUsed(await readPackage(packageFolder), models)
}

/** A package that is not yet on disk as it stands, with the neighboring packages that it names. @throws AttestdError manifest-invalid */
export const withNeighbors = (pack: DetectorPackage): Promise<LoadedPackage> =>
  withUsed(pack, new ModelsFolder(path.dirname(pack.folder)))

/** All packages that a process must load, each once, those that others use before them. */
export function loadOrder(packages: readonly LoadedPackage[]): DetectorPackage[] {
  const all = [...packages.flatMap(({ uses }) => uses), ...packages]
  return [...new Map(all.map((pack) => [pack.manifest.id, pack])).values()]
}

/** A folder of packages, listed once and each package read once: one state of them is used throughout, even while one is being replaced. */
class ModelsFolder {
  #ids: Promise<string[]> | null = null
  readonly #packages = new Map<string, Promise<DetectorPackage>>()

  constructor(readonly dir: string) {}

  ids(): Promise<string[]> {
    this.#ids ??= packageFolders(this.dir)
    return this.#ids
  }

  read(id: string): Promise<DetectorPackage> {
    const reading = this.#packages.get(id) ?? readPackage(path.join(this.dir, id))
    this.#packages.set(id, reading)
    return reading
  }
}

async function withUsed(pack: DetectorPackage, models: ModelsFolder): Promise<LoadedPackage> {
  const named = usedBy(pack.manifest)
  if (named.length === 0) return { ...pack, uses: [] }
  const available = await models.ids()
  const used: LoadedPackage[] = []
  for (const use of named) {
    if (!available.includes(use.id)) {
      throw new AttestdError(
        'manifest-invalid',
        `${path.join(pack.folder, MANIFEST_FILE)} is not accepted:\n  runtime.${use.field}: ${noSuchPackage(use.id, models.dir, available)}`,
      )
    }
    const found = await models.read(use.id)
    checkUsed(pack.manifest, use, found.manifest)
    used.push(await withUsed(found, models))
  }
  return { ...pack, digest: digestWithUsed(pack.digest, used), uses: loadOrder(used) }
}

async function readPackage(packageFolder: string): Promise<DetectorPackage> {
  const folder = await fs.realpath(packageFolder)
  const where = path.join(packageFolder, MANIFEST_FILE)
  const text = await readManifest(where)
  const manifest = parseManifest(text, where)
  if (manifest.id !== path.basename(packageFolder)) {
    throw new AttestdError(
      'manifest-invalid',
      `${where} is not accepted:\n  id: is ${manifest.id}, but the folder is named ${path.basename(packageFolder)}`,
      { fix: 'Rename the folder, or set id in detector.json to its name.' },
    )
  }
  await Promise.all(Object.entries(manifest.files).map(([name, stated]) => verifyFile(folder, name, stated, where)))
  return { folder, manifest, digest: manifestDigest(text) }
}

/** What the rest of the daemon needs to know of a package. */
export function summaryOf({ manifest, digest }: DetectorPackage): DetectorSummary {
  const { id, version, title, mediaTypes } = manifest
  return { id, version, title, mediaTypes, digest }
}

/** What to do about a models directory that is not there. */
export const MODELS_FIX =
  'Correct ATTESTD_MODELS_DIR (--models-dir), or unset it to use the packages that come with attestd.'

/** The ids of the packages in a models directory, sorted. @throws AttestdError setting-invalid where it cannot be read */
export async function packageFolders(modelsDir: string): Promise<string[]> {
  let names: string[]
  try {
    names = await fs.readdir(modelsDir)
  } catch (error) {
    throw new AttestdError(
      'setting-invalid',
      `The models directory ${modelsDir} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      { cause: error, fix: MODELS_FIX },
    )
  }
  const found = await Promise.all(names.map((name) => isFile(path.join(modelsDir, name, MANIFEST_FILE))))
  return names.filter((_, index) => found[index]).sort()
}

async function isFile(file: string): Promise<boolean> {
  const stat = await fs.stat(file).catch(() => null)
  return stat?.isFile() ?? false
}

async function readManifest(where: string): Promise<string> {
  const { size } = await fs.stat(where).catch((cause: NodeJS.ErrnoException) => {
    throw new AttestdError('manifest-invalid', `${where} cannot be read (${cause.code}).`, { cause })
  })
  if (size > MAX_MANIFEST_BYTES) throw new AttestdError('manifest-invalid', `${where} is ${size} bytes, far too large.`)
  return fs.readFile(where, 'utf8')
}

async function verifyFile(
  own: string,
  name: string,
  stated: DetectorManifest['files'][string],
  where: string,
): Promise<void> {
  const folder = folderOfFile(own, stated)
  const bad = (message: string) => new AttestdError('model-digest-mismatch', `${path.join(folder, name)} ${message}`)
  const real = await fs.realpath(path.join(folder, name)).catch(() => null)
  if (real === null) throw bad('is missing.')
  if (!real.startsWith(folder + path.sep)) {
    throw new AttestdError(
      'manifest-invalid',
      `${where} is not accepted:\n  files.${name}: is a link out of the folder`,
    )
  }
  const stat = await fs.stat(real)
  if (!stat.isFile()) throw bad('is not a file.')
  if (stat.size !== stated.bytes) throw bad(`has ${stat.size} bytes, the manifest states ${stated.bytes}.`)
  const digest = await sha256OfFile(real)
  if (digest !== stated.sha256) throw bad(`has the sha256 ${digest}, the manifest states ${stated.sha256}.`)
}

function unknownDetector(id: string, modelsDir: string, available: readonly string[]): AttestdError {
  return new AttestdError('setting-invalid', `Unknown detector: ${noSuchPackage(id, modelsDir, available)}.`, {
    fix: 'Correct the name in ATTESTD_DETECTORS (--detectors), or set ATTESTD_MODELS_DIR to the folder that holds the package.',
  })
}

function noSuchPackage(id: string, modelsDir: string, available: readonly string[]): string {
  const known = available.length > 0 ? `there are: ${available.join(', ')}` : 'there is none'
  return `there is no detector package ${id} in ${modelsDir} (${known})`
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { AttestdError } from '../../core/errors.js'
import { readFileIfPresent, sha256OfFile, writeFileAtomic } from '../../core/files.js'
import { jsonIn, readJson } from '../../core/text.js'
import {
  type DetectorManifest,
  filesNamedIn,
  MANIFEST_FILE,
  manifestDigest,
  parseManifest,
} from '../../detect/package/manifest.js'
import { manifestRefused } from '../../detect/package/manifest-refused.js'
import { folderOfFile, packageId } from '../../detect/package/package-file.js'
import { loadOrder, withNeighbors } from '../../detect/package/package-loader.js'
import { filesOfModule } from '../../detect/runtimes/module-detector.js'
import { calibrate } from '../../detect/scoring/calibration.js'
import { type Measuring, measureSample } from '../measure/measure-sample.js'

/** Of the self-test, where the manifest states none: on another processor the last digits differ. */
const TOLERANCE = 0.02
const FIRST_VERSION = '1.0.0'
const FILE_MODE = 0o644

/** What is read of a manifest that is not finished; the rest is checked once it is. */
const draftShape = z.looseObject({
  version: z.string().optional(),
  files: z.record(z.string(), z.looseObject({ of: packageId.optional() })).default({}),
  selfTest: z.record(z.string(), z.unknown()).default({}),
})
type Draft = z.infer<typeof draftShape>

/**
 * Completes the manifest of an own package: size and sha256 of each file that it names, and the risk of its own sample, which it
 * measures. A manifest without a version gets 1.0.0; one that was complete and whose files or risk changed, the next patch
 * version. A manifest that is true is not written.
 * @param folder absolute path of the package
 * @param version what it shall state; null: as above
 * @throws AttestdError manifest-invalid, which names what is missing, and what loading and measuring gives
 */
export async function sealPackage(
  folder: string,
  version: string | null,
  measuring: Measuring,
): Promise<{ manifest: DetectorManifest; changed: boolean }> {
  const where = path.join(folder, MANIFEST_FILE)
  const draft = await readDraft(where)
  const named = {
    ...draft,
    version: draft.version ?? FIRST_VERSION,
    files: {},
    selfTest: {
      ...draft.selfTest,
      risk: Number(draft.selfTest.risk ?? 0),
      tolerance: draft.selfTest.tolerance ?? TOLERANCE,
    },
  }
  const files = await factsOf(folder, draft, filesNamedIn(named, where))
  const textWith = (its: string, risk: number) =>
    `${JSON.stringify({ ...draft, version: its, files, selfTest: { ...named.selfTest, risk } }, null, 2)}\n`
  const stated = parseManifest(textWith(version ?? named.version, named.selfTest.risk), where)
  if (stated.id !== path.basename(folder))
    throw manifestRefused(stated.id, 'id', `is ${stated.id}, but the folder is named ${path.basename(folder)}`)
  const pack = await withNeighbors({ folder, manifest: stated, digest: manifestDigest('') })
  const { measurement } = await measureSample(loadOrder([pack]), { ...measuring, times: 1 })
  const risk = Number(calibrate(measurement.rawScore, stated.calibration, measurement.length).toFixed(4))

  const isTrue =
    isDeepStrictEqual(draft.files, files) && Math.abs(risk - stated.selfTest.risk) <= stated.selfTest.tolerance
  if (isTrue && stated.version === draft.version) return { manifest: stated, changed: false }
  const wasComplete =
    draft.version !== undefined && Object.values(draft.files).some((file) => file.sha256 !== undefined)
  const text = textWith(version ?? (wasComplete ? nextPatch(stated.version) : stated.version), risk)
  await writeFileAtomic(where, text, { mode: FILE_MODE })
  return { manifest: parseManifest(text, where), changed: true }
}

async function readDraft(where: string): Promise<Draft> {
  const text = await readFileIfPresent(where)
  if (text === null)
    throw new AttestdError('manifest-invalid', `${where} is missing.`, {
      fix: 'Start from the example of its runtime in config/detectors/.',
    })
  const draft = readJson(draftShape, text.toString('utf8'))
  if (draft === null)
    throw new AttestdError('manifest-invalid', `${where} is not a JSON object with the fields of a manifest.`)
  // In the order in which the person wrote the fields.
  return { ...(jsonIn(text.toString('utf8')) as object), ...draft }
}

/** Size and digest of each file that a package needs. @throws AttestdError manifest-invalid with those that are missing */
async function factsOf(folder: string, { files, runtime }: Draft, named: readonly string[]) {
  const isModule = z.looseObject({ kind: z.literal('module') }).safeParse(runtime).success
  const names = new Set([...named, ...Object.keys(files), ...(isModule ? await filesOfModule(folder) : [])])
  const facts = [...names].sort().map(async (name) => {
    const of = files[name]?.of
    const file = path.join(folderOfFile(folder, { of }), name)
    const stat = await fs.stat(file).catch(() => null)
    if (!stat?.isFile()) return { name, file, fact: null }
    return { name, file, fact: { sha256: await sha256OfFile(file), bytes: stat.size, ...(of ? { of } : {}) } }
  })
  const found = await Promise.all(facts)
  const missing = found.filter(({ fact }) => fact === null).map(({ file }) => file)
  if (missing.length > 0)
    throw new AttestdError('manifest-invalid', `The package names files that are missing: ${missing.join(', ')}.`, {
      fix: 'Place them there, or correct the names in detector.json.',
    })
  return Object.fromEntries(found.map(({ name, fact }) => [name, fact]))
}

const nextPatch = (version: string): string =>
  version.replace(/^(\d+\.\d+\.)(\d+).*$/, (_, line: string, patch: string) => line + String(Number(patch) + 1))

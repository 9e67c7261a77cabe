import fs from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../core/disk/make-folder.js'
import { makeOwnFolder, removeLeftFolders, removeOwnFolder } from '../../core/disk/own-folders.js'
import { toAttestdError } from '../../core/errors.js'
import { isThere } from '../../core/files.js'
import { type DetectorManifest, MANIFEST_FILE, manifestDigest } from '../../detect/package/manifest.js'
import type { Measuring } from '../measure/measure-sample.js'
import type { Agreement } from './agreement.js'
import { cardStub } from './card-stub.js'
import { type HuggingFaceExport, readExport } from './hugging-face-export.js'
import { unsupported } from './import-error.js'
import { CHANNELS_FIRST, type ImportPlan, type ImportRequest, planImport } from './import-plan.js'
import { probabilityOperation } from './onnx-file.js'
import { onnxNames } from './onnx-names.js'
import { agreementOf, readReferences } from './reference-check.js'
import { sealPackage } from './seal-package.js'

const MODEL_NAME = 'model.onnx'
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755
/** Where a package is made; that of a killed import holds a copy of the weights. */
const WORKSHOP = '.import-'

export interface ImportOptions extends ImportRequest {
  readonly folder: string
  /** Path of the weights inside it, where they are not at the usual place. */
  readonly model: string | null
  /** Folder with what the original returned for some files; null where nothing is compared. */
  readonly check: string | null
  readonly modelsDir: string
  /** Null: from the name of the folder. */
  readonly id: string | null
  readonly measuring: Measuring
}

export interface ImportedPackage {
  readonly manifest: DetectorManifest
  readonly folder: string
  readonly classes: ImportPlan['classes']
  readonly guesses: readonly string[]
  /** Null where nothing was compared. */
  readonly agreement: Agreement | null
}

/**
 * Makes a package of a Hugging Face export. It appears in the models directory as a whole, after its own sample was
 * scored by it.
 * @throws AttestdError import-unsupported, and what loading and measuring gives
 */
export async function importPackage(options: ImportOptions): Promise<ImportedPackage> {
  const { modelsDir, check, measuring } = options
  const references = check === null ? null : await readReferences(check)
  const found = await readExport(options.folder, options.model)
  const plan = planImport(found, await onnxNames(found.model, measuring), options)
  const output = outputOf(plan.classes, probabilityOperation(await fs.readFile(found.model), plan.output))
  const id = options.id ?? idFrom(options.folder)
  const folder = path.join(modelsDir, id)
  const taken = () => unsupported(`${folder} already exists; use --id to name another.`)
  if (await isThere(folder)) throw taken()
  await makeFolder(modelsDir)
  await removeLeftFolders(modelsDir, WORKSHOP)
  const workshop = await makeOwnFolder(modelsDir, WORKSHOP)
  try {
    const made = path.join(workshop, id)
    const manifest = await build(made, draftOf(id, found, plan, output), found, plan, measuring)
    const pack = { folder: made, manifest, digest: manifestDigest('') }
    const agreement = references && (await agreementOf(pack, references, measuring))
    const { classes, guesses } = plan
    await fs.writeFile(path.join(made, 'card.md'), cardStub({ manifest, classes, export: found, guesses, agreement }))
    await fs.rename(made, folder).catch((error: NodeJS.ErrnoException) => {
      // Another import under this id was faster.
      throw error.code === 'ENOTEMPTY' ? taken() : error
    })
    return { manifest, folder, classes, guesses, agreement }
  } finally {
    await removeOwnFolder(workshop)
  }
}

async function build(
  folder: string,
  draft: object,
  found: HuggingFaceExport,
  plan: ImportPlan,
  measuring: Measuring,
): Promise<DetectorManifest> {
  const copied = [
    [found.model, MODEL_NAME],
    ...(found.data === null ? [] : [[path.join(path.dirname(found.model), found.data), found.data]]),
    ...plan.files.map((name) => [path.join(found.folder, name), name]),
    [plan.sample, sampleName(plan)],
  ] as [from: string, name: string][]
  for (const [from, name] of copied) {
    const to = path.join(folder, name)
    await fs.mkdir(path.dirname(to), { recursive: true })
    await fs.copyFile(from, to)
    // In its cage a detector process may be another user; libraries write weights for their own user alone, and an umask may hide folders.
    await fs.chmod(path.dirname(to), FOLDER_MODE)
    await fs.chmod(to, FILE_MODE)
  }
  await fs.writeFile(path.join(folder, MANIFEST_FILE), JSON.stringify(draft))
  const sealing = sealPackage(folder, null, measuring).catch((error: unknown) => {
    const { message } = toAttestdError(error)
    // Sizes that are all free do not state their order.
    const fix =
      plan.mediaType === 'image' && /channel|dimension|shape/i.test(message)
        ? `If its color channels come last: ${CHANNELS_FIRST}`
        : undefined
    throw unsupported(`The export does not run here: ${message}`, fix, error)
  })
  return (await sealing).manifest
}

/** The manifest without what `sealPackage` completes. */
function draftOf(id: string, { config, license, data }: HuggingFaceExport, plan: ImportPlan, output: object) {
  const architecture = config.architectures?.[0] ?? config.model_type ?? 'network'
  return {
    schema: 1,
    id,
    version: '1.0.0',
    title: `${architecture}, imported from a Hugging Face export`.slice(0, 500),
    mediaTypes: [plan.mediaType],
    runtime: {
      kind: 'onnx',
      model: MODEL_NAME,
      ...(data === null ? {} : { data }),
      input: plan.inputs,
      output: plan.output,
    },
    files: {},
    preprocessing: plan.preprocessing,
    ...output,
    aggregation: 'mean',
    calibration: { kind: 'identity' },
    decisionBand: { low: 0.5, high: 0.5 },
    selfTest: { file: sampleName(plan) },
    training: {
      data: 'Not known: the export does not state what it was trained on. See card.md.',
      license: 'Not known; use the weights for evaluation only until you have asked.',
    },
    license: license === null ? 'Not stated in the export' : `${license}, as the export states`,
  }
}

const sampleName = ({ sample }: ImportPlan) => `selftest${path.extname(sample)}`

/** What the manifest states of the output; one class is one number, which rises with that class. @throws import-unsupported */
function outputOf({ labels, fake }: ImportPlan['classes'], operation: string | null): object {
  if (labels.length === 1) return { outputKind: operation === null ? 'logit' : 'probability' }
  if (operation !== null)
    throw unsupported(
      `The network ends in a ${operation}: it returns a probability for each class, not a logit.`,
      `Export it again without the ${operation}.`,
    )
  return { outputKind: 'class-logits', fakeClasses: fake, classes: labels.length }
}

function idFrom(folder: string): string {
  const id = path
    .basename(path.resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 64)
  if (id === '') throw unsupported('The name of the folder is not a valid id; set one with --id.')
  return id
}

import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { toAttestdError } from '../../core/errors.js'
import { readFileIfPresent } from '../../core/files.js'
import { readJson } from '../../core/text.js'
import { DetectorProcess } from '../../detect/host/detector-process.js'
import type { DetectorPackage } from '../../detect/package/package-loader.js'
import { outputAsLogit } from '../../detect/scoring/aggregation.js'
import type { Measuring } from '../measure/measure-sample.js'
import type { Agreement } from './agreement.js'
import { unsupported } from './import-error.js'

/** What the original returned for the media files in the same folder. */
const REFERENCE_FILE = 'logits.json'
const FORM = `Write ${REFERENCE_FILE} as {"a.png": [0.1, -2.3]}: file names and the logits of the original, in the order of its labels.`

const referenceSchema = z
  .record(z.string().min(1), z.array(z.number()).min(1))
  .refine((logits) => Object.keys(logits).length > 0)

/** A media file, and what the original returned for it, a number per class. */
interface Reference {
  readonly name: string
  readonly file: string
  readonly logits: readonly number[]
}

/** Reads a folder's references. @throws import-unsupported where missing, of another form, or without their file */
export async function readReferences(folder: string): Promise<Reference[]> {
  const bytes = await readFileIfPresent(path.join(folder, REFERENCE_FILE))
  if (bytes === null) throw unsupported(`--check: ${folder} holds no ${REFERENCE_FILE}.`, FORM)
  const stated = readJson(referenceSchema, bytes.toString('utf8'))
  if (stated === null) throw unsupported(`--check: ${REFERENCE_FILE} is not accepted.`, FORM)
  const references = Object.entries(stated).map(([name, logits]) => ({
    name,
    file: path.resolve(folder, name),
    logits,
  }))
  for (const { name, file } of references) {
    if ((await fs.stat(file).catch(() => null))?.isFile() !== true)
      throw unsupported(`--check: ${REFERENCE_FILE} names ${name}, which is not a file in ${folder}.`)
  }
  return references
}

/**
 * Scores the files of the references in a process of their own.
 * @throws AttestdError import-unsupported where the numbers of classes differ or every file is refused, and what loading gives
 */
export async function agreementOf(
  pack: DetectorPackage,
  references: readonly Reference[],
  { signal, ...options }: Measuring,
): Promise<Agreement> {
  const { id, classes = 1 } = pack.manifest
  // The original's are logits, even where the exported network ends in a sigmoid.
  const kind = classes === 1 ? { outputKind: 'logit' as const } : pack.manifest
  const other = references.find(({ logits }) => logits.length !== classes)
  if (other !== undefined)
    throw unsupported(`--check: ${other.name} has ${other.logits.length} logits, the package ${classes}.`, FORM)
  const found: { name: string; difference: number }[] = []
  const refused: string[] = []
  const child = await DetectorProcess.start({ ...options, packages: [pack] }, signal)
  try {
    for (const { name, file, logits } of references) {
      try {
        const { rawScore } = await child.measure({ detectorId: id, file, probe: null, evidence: false })
        found.push({ name, difference: Math.abs(rawScore - outputAsLogit(logits, kind)) })
      } catch (error) {
        const { reason } = toAttestdError(error)
        refused.push(`${name} (${reason})`)
      }
    }
  } finally {
    await child.kill('closed')
  }
  signal.throwIfAborted()
  const [worst] = found.toSorted((a, b) => b.difference - a.difference)
  if (worst === undefined) throw unsupported(`--check: the package refuses every file: ${refused.join(', ')}.`)
  const mean = found.reduce((sum, { difference }) => sum + difference, 0) / found.length
  return { compared: found.length, largest: worst.difference, worst: worst.name, mean, refused }
}

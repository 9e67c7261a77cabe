import path from 'node:path'
import { z } from 'zod'
import { requireOwnFolder } from '../../core/disk/plain-files.js'
import { readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { readJson } from '../../core/text.js'
import { type Population, populationOf, RISK_BINS } from './population.js'

/** Of fewer files a reference is mostly chance. */
const MIN_FILES = 200

/** What a detector is compared with: its evaluation, or its own first verdicts on this daemon. */
export interface DriftReference extends Population {
  readonly from: 'evaluation' | 'own'
}

/** Where references are: `modelsDir` holds the packages, `folder` what this daemon counted itself. */
export interface ReferencePlaces {
  readonly modelsDir: string
  readonly folder: string
}

const count = z.number().nonnegative()
const detector = z.looseObject({ digest: z.string() })
const counts = z.record(z.string(), count)

/** What is read of the `eval.json` that `models eval` and `npm run evaluate` write. */
const evaluated = z.looseObject({
  detector,
  histogram: z.looseObject({ real: z.array(count).length(2 * RISK_BINS), fake: z.array(count).length(2 * RISK_BINS) }),
  outcomes: z.looseObject({ scored: count, unsure: z.looseObject({ band: count, flip: count }), abstained: counts }),
})
const fixture = z.looseObject({ detector, rows: z.array(z.looseObject({ risk: z.number().min(0).max(1).nullable() })) })
const own = z.object({
  risks: z.array(count).length(RISK_BINS),
  abstentions: z.tuple([count, count]),
})

/**
 * The reference of a detector by its digest: `evaluation/eval.json` of its package, else `evaluation/fixture.json`,
 * each where it is of this digest and of enough files; else what this daemon kept. Null where there is none yet.
 */
export async function readReference(
  { folder, modelsDir }: ReferencePlaces,
  { id, digest }: { readonly id: string; readonly digest: string },
): Promise<DriftReference | null> {
  const inPackage = (name: string) => path.join(modelsDir, id, 'evaluation', name)
  const full = await parsed(inPackage('eval.json'), evaluated)
  if (full?.detector.digest === digest && full.outcomes.scored >= MIN_FILES)
    return { from: 'evaluation', ...ofEvaluation(full) }
  const small = await parsed(inPackage('fixture.json'), fixture)
  if (small?.detector.digest === digest && small.rows.length >= MIN_FILES) {
    return { from: 'evaluation', ...populationOf(small.rows.map(({ risk }) => ({ risk, abstained: risk === null }))) }
  }
  const kept = await parsed(ownFile(folder, digest), own)
  return kept && { from: 'own', ...kept }
}

/** Keeps what a detector stated first. @throws AttestdError data-dir-unusable */
export async function keepReference(folder: string, digest: string, { risks, abstentions }: Population): Promise<void> {
  await requireOwnFolder(folder)
  await writeFileAtomic(ownFile(folder, digest), `${JSON.stringify({ risks, abstentions })}\n`)
}

const ownFile = (folder: string, digest: string) => path.join(folder, `${digest}.json`)

function ofEvaluation({ histogram: { fake, real }, outcomes }: z.infer<typeof evaluated>): Population {
  const both = real.map((rows, bin) => rows + (fake[bin] ?? 0))
  const risks = Array.from({ length: RISK_BINS }, (_, bin) => (both[2 * bin] ?? 0) + (both[2 * bin + 1] ?? 0))
  const unsure = outcomes.unsure.band + outcomes.unsure.flip
  const refused = Object.values(outcomes.abstained).reduce((sum, rows) => sum + rows, 0)
  return { risks, abstentions: [outcomes.scored - unsure, unsure + refused] }
}

async function parsed<T>(file: string, schema: z.ZodType<T>): Promise<T | null> {
  const content = await readFileIfPresent(file).catch(() => null)
  return content && readJson(schema, content.toString('utf8'))
}

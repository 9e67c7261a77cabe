import type { Settings } from '../../config/settings.js'
import { AttestdError } from '../../core/errors.js'
import type { DetectorSummary } from '../../detect/package/detector-summary.js'
import { type Comparison, compareScored } from '../../lab/compare/comparison.js'
import { readData } from '../../lab/data/read-data.js'
import { selectRows } from '../../lab/data/select-rows.js'
import { dataDigest } from '../../lab/evaluate/score-rows.js'
import { seededRandom } from '../../lab/metrics/seeded-random.js'
import { BOOTSTRAP_SEED, type LabeledDataOptions, scoreForLab } from './lab-scoring.js'
import { namedPackage } from './named-package.js'

/** `limit` counts rows that both packages can score: both get the same ones. */
export interface CompareModelsOptions extends LabeledDataOptions {
  /** Columns that get a table each. */
  readonly by: readonly string[]
}

export interface ModelComparison extends Comparison {
  readonly command: string
  readonly data: { readonly from: string; readonly digest: string; readonly rows: number }
  readonly first: ComparedDetector
  readonly second: ComparedDetector
}

export type ComparedDetector = Pick<DetectorSummary, 'id' | 'version' | 'digest'>

/** Scores the same rows with two packages, and compares them. @throws lab-data-invalid, draining, detector-* */
export async function compareModels(
  settings: Settings,
  names: readonly [string, string],
  options: CompareModelsOptions,
): Promise<ModelComparison> {
  const data = await readData(options.data, options.root)
  const types = await commonMediaTypes(settings, names)
  const { rows } = selectRows(data.rows, types, options.limit)
  const same = { ...data, rows }
  const score = (named: string) => scoreForLab(settings, named, same, { ...options, limit: null })
  // One after the other: side by side they would slow each other down and take twice the memory.
  const first = await score(names[0])
  const second = await score(names[1])
  return {
    command: options.command,
    data: { from: data.from, digest: dataDigest(first.scored), rows: rows.length },
    first: factsOf(first),
    second: factsOf(second),
    ...compareScored(first.scored, second.scored, options.by, seededRandom(BOOTSTRAP_SEED)),
  }
}

async function commonMediaTypes(settings: Settings, names: readonly [string, string]) {
  const packages = await Promise.all(names.map((named) => namedPackage(settings, named)))
  const [first, second] = packages.map(({ manifest }) => manifest.mediaTypes)
  const common = first?.filter((type) => second?.includes(type)) ?? []
  if (common.length > 0) return common
  throw new AttestdError(
    'lab-data-invalid',
    `${names[0]} scores ${first?.join(', ')}, ${names[1]} ${second?.join(', ')}.`,
  )
}

function factsOf({ detector }: Awaited<ReturnType<typeof scoreForLab>>): ComparedDetector {
  const { manifest, digest } = detector
  return { id: manifest.id, version: manifest.version, digest }
}

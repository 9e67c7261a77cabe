import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { writeFileAtomic } from '../../core/files.js'
import { VERSION } from '../../core/version.js'
import { readData } from '../../lab/data/read-data.js'
import { duplicatesIn } from '../../lab/evaluate/duplicates.js'
import { evaluate, worst } from '../../lab/evaluate/evaluate.js'
import { type Evaluation, evaluationSchema } from '../../lab/evaluate/evaluation.js'
import type { ScoredRow } from '../../lab/evaluate/scored-row.js'
import { scoresCsv } from '../../lab/evaluate/scores-csv.js'
import { interrupted } from '../../lab/interrupted.js'
import { seededRandom } from '../../lab/metrics/seeded-random.js'
import { evaluationPage } from '../../lab/report/evaluation-page.js'
import { makeThumbnails } from '../../lab/report/thumbnails.js'
import { BOOTSTRAP_SEED, type LabeledDataOptions, scoreForLab } from './lab-scoring.js'
import { measuringOf } from './measuring.js'

/** What a report may be read by others with: it holds no secret. */
const FILE_MODE = 0o644

/** `out` is null for callers that only want the figures: exams, and those that keep them in the package. */
export interface EvaluateModelOptions extends LabeledDataOptions {
  /** Where the three files go; null writes none. */
  readonly out: string | null
  /** Columns that get a table each. */
  readonly by: readonly string[]
  /** Share of fakes that the rows are weighted to; null: that of the rows. */
  readonly prior: number | null
}

/**
 * Scores labeled data with a package and writes eval.json, scores.csv and report.html, all or none; a run that was stopped
 * resumes where it was.
 * @throws AttestdError lab-data-invalid, draining (interrupted), and what stops detectors
 */
export async function evaluateModel(
  settings: Settings,
  named: string,
  options: EvaluateModelOptions,
): Promise<Evaluation> {
  const { by, command, limit, prior, signal } = options
  const data = await readData(options.data, options.root)
  const { detector, kept, otherMedia, scored } = await scoreForLab(settings, named, data, {
    ...options,
    keepIn: options.out ?? options.keepIn ?? null,
  })
  const evaluation = evaluationSchema.parse(
    evaluate(scored, {
      detector,
      data: { from: data.from, limit, otherMedia, prior, duplicates: duplicatesIn(scored) },
      by,
      command,
      attestd: VERSION,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      now: systemClock.now(),
      random: seededRandom(BOOTSTRAP_SEED),
    }),
  )
  if (options.out !== null) await writeReport(options.out, evaluation, scored, settings, signal)
  await kept?.remove()
  return evaluation
}

async function writeReport(
  folder: string,
  evaluation: Evaluation,
  scored: readonly ScoredRow[],
  settings: Settings,
  signal: AbortSignal,
): Promise<void> {
  const pictures = [...worst(scored, false), ...worst(scored, true)].flatMap(({ row, detection }) =>
    'file' in row.content && detection && evaluation.detector.mediaTypes.includes('image')
      ? [[row.id, row.content.file] as const]
      : [],
  )
  const thumbnails = await makeThumbnails(new Map(pictures), await measuringOf(settings, signal))
  if (signal.aborted) throw interrupted()
  await makeFolder(folder)
  const write = (name: string, text: string) => writeFileAtomic(path.join(folder, name), text, { mode: FILE_MODE })
  await write('scores.csv', scoresCsv(scored))
  await write('report.html', evaluationPage(evaluation, thumbnails))
  await write('eval.json', `${JSON.stringify(evaluation, null, 2)}\n`)
}

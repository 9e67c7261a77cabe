import path from 'node:path'
import type { Settings } from '../../config/settings.js'
import { makeFolder } from '../../core/disk/make-folder.js'
import { packagePath, readFileIfPresent, writeFileAtomic } from '../../core/files.js'
import { readData } from '../../lab/data/read-data.js'
import { fixtureDrift, fixtureFigures, fixtureSchema } from '../../lab/evaluate/fixture-figures.js'
import { evaluationPage } from '../../lab/report/evaluation-page.js'
import { surveyModels } from '../verbs/models.js'
import { type EvaluateModelOptions, evaluateModel } from './evaluate-model.js'
import { type LabScoringOptions, scoreForLab } from './lab-scoring.js'

const FILE_MODE = 0o644

/** What became of one package: a line for people, and whether its kept figures still hold. */
export interface EvaluatedPackage {
  readonly id: string
  readonly summary: string
  readonly holds: boolean
}

/**
 * Scores the sample media that come with attestd with every package and keeps the figures in its evaluation/fixture.json.
 * @param check compare with the kept figures and write nothing
 */
export async function evaluateOnFixture(
  settings: Settings,
  check: boolean,
  watch: Omit<LabScoringOptions, 'limit'>,
): Promise<EvaluatedPackage[]> {
  const data = await readData(packagePath('samples', 'samples.json'), null)
  const evaluated: EvaluatedPackage[] = []
  for (const { id, version, mediaTypes, summary: problem } of await surveyModels(settings)) {
    if (version === null) {
      evaluated.push({ id, summary: problem, holds: false })
      continue
    }
    const rows = data.rows.filter(({ mediaType }) => mediaType !== null && mediaTypes.includes(mediaType))
    if (rows.length === 0) {
      evaluated.push({ id, summary: `no sample media of ${mediaTypes.join(', ')}`, holds: true })
      continue
    }
    const { detector, scored } = await scoreForLab(settings, id, { ...data, rows }, { ...watch, limit: null })
    const figures = fixtureFigures(detector, scored)
    const file = path.join(detector.folder, 'evaluation', 'fixture.json')
    const summary = `${scored.length} samples, AUC ${figures.auc?.toFixed(3) ?? '–'}`
    if (check) {
      const drift = await driftFrom(file, figures, detector.manifest.selfTest.tolerance)
      evaluated.push({
        id,
        summary: drift.length > 0 ? drift.join('\n  ') : `${summary}, as kept`,
        holds: drift.length === 0,
      })
    } else {
      await keep(file, `${JSON.stringify(figures, null, 2)}\n`)
      evaluated.push({ id, summary: `${summary}, written`, holds: true })
    }
  }
  return evaluated
}

async function driftFrom(
  file: string,
  figures: ReturnType<typeof fixtureFigures>,
  tolerance: number,
): Promise<string[]> {
  const text = (await readFileIfPresent(file))?.toString('utf8')
  return text === undefined
    ? [`${file} is missing`]
    : fixtureDrift(fixtureSchema.parse(JSON.parse(text)), figures, tolerance)
}

/**
 * Evaluates a package on labeled data and keeps eval.json and report.html in its evaluation folder, without its
 * mistakes: those are pictures and texts of data that are not ours to publish.
 */
export async function evaluateIntoPackage(
  settings: Settings,
  id: string,
  options: Omit<EvaluateModelOptions, 'out'>,
): Promise<EvaluatedPackage> {
  const { mistakes: _, ...figures } = await evaluateModel(settings, id, { ...options, out: null })
  const evaluation = { ...figures, mistakes: { real: [], fake: [] } }
  const folder = path.join(settings.modelsDir, id, 'evaluation')
  await keep(path.join(folder, 'report.html'), evaluationPage(evaluation, new Map()))
  await keep(path.join(folder, 'eval.json'), `${JSON.stringify(evaluation, null, 2)}\n`)
  return {
    id,
    summary: `${evaluation.data.rows} rows, AUC ${evaluation.all.auc.value?.toFixed(3) ?? '–'}, written`,
    holds: true,
  }
}

async function keep(file: string, text: string): Promise<void> {
  await makeFolder(path.dirname(file))
  await writeFileAtomic(file, text, { mode: FILE_MODE })
}

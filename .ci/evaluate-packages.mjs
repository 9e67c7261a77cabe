// Writes figures into the evaluation folders of packages, or compares them with those that are there. Each function resolves
// with `{ id, summary, holds }`: a line for people, and whether the kept figures still hold.
import fs from 'node:fs/promises'
import path from 'node:path'
import { evaluateModel } from '../dist/app/lab/evaluate-model.js'
import { scoreForLab } from '../dist/app/lab/lab-scoring.js'
import { surveyModels } from '../dist/app/verbs/models.js'
import { packagePath, readFileIfPresent } from '../dist/core/files.js'
import { readData } from '../dist/lab/data/read-data.js'
import { evaluationPage } from '../dist/lab/report/evaluation-page.js'
import { fixtureDrift, fixtureFigures } from './fixture-figures.mjs'

/**
 * Scores the sample media that come with attestd with every package and keeps the figures in its evaluation/fixture.json.
 * @param check compare with the kept figures and write nothing
 */
export async function evaluateOnFixture(settings, check, watch) {
  const data = await readData(packagePath('samples', 'samples.json'), null)
  const evaluated = []
  for (const model of await surveyModels(settings)) evaluated.push(await evaluateSamples(model, data))
  return evaluated

  async function evaluateSamples({ id, version, mediaTypes, summary: problem }) {
    if (version === null) return { id, summary: problem, holds: false }
    const rows = data.rows.filter(({ mediaType }) => mediaTypes.includes(mediaType))
    if (rows.length === 0) return { id, summary: `no sample media of ${mediaTypes.join(', ')}`, holds: true }
    const { detector, scored } = await scoreForLab(settings, id, { ...data, rows }, { ...watch, limit: null })
    const figures = fixtureFigures(detector, scored)
    const file = path.join(detector.folder, 'evaluation', 'fixture.json')
    const summary = `${scored.length} samples, AUC ${figures.auc?.toFixed(3) ?? '–'}`
    if (!check) {
      await keep(file, `${JSON.stringify(figures, null, 2)}\n`)
      return { id, summary: `${summary}, written`, holds: true }
    }
    const drift = await driftFrom(file, figures, detector.manifest.selfTest.tolerance)
    return { id, summary: drift.join('\n  ') || `${summary}, as kept`, holds: drift.length === 0 }
  }
}

async function driftFrom(file, figures, tolerance) {
  const kept = await readFileIfPresent(file)
  return kept === null ? [`${file} is missing`] : fixtureDrift(JSON.parse(kept), figures, tolerance)
}

/**
 * Evaluates a package on labeled data and keeps eval.json and report.html in its evaluation folder, without its
 * mistakes: those are pictures and texts of data that are not ours to publish.
 */
export async function evaluateIntoPackage(settings, id, options) {
  const figures = await evaluateModel(settings, id, { ...options, out: null })
  const evaluation = { ...figures, mistakes: { real: [], fake: [] } }
  const folder = path.join(settings.modelsDir, id, 'evaluation')
  await keep(path.join(folder, 'report.html'), evaluationPage(evaluation, new Map()))
  await keep(path.join(folder, 'eval.json'), `${JSON.stringify(evaluation, null, 2)}\n`)
  const auc = evaluation.all.auc.value?.toFixed(3) ?? '–'
  return { id, summary: `${evaluation.data.rows} rows, AUC ${auc}, written`, holds: true }
}

async function keep(file, text) {
  await fs.mkdir(path.dirname(file), { recursive: true })
  await fs.writeFile(file, text)
}

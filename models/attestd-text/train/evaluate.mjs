/**
 * Scores texts through the daemon's own code (dist/, onnxruntime-node) and compares with the logits of train.py.
 *
 *   node train/evaluate.mjs --work FILE [--write]       FILE: attestd-text.json of train.py's --work
 *   node train/evaluate.mjs --texts FILE                FILE: JSON, [{source, text}]; share at risk >= 50 by source
 *
 * Run in a package folder, after `npm run build`. With --write, evaluation/runtime.json is rewritten.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as ort from 'onnxruntime-node'

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const [{ calibrate }, { loadPackage }, { normalizeText }, { textFeaturesOf }, { cutWindows }] = await Promise.all(
  ['scoring/calibration', 'package/package-loader', 'text/normalize', 'text/text-features', 'text/windows'].map(
    (name) => import(join(ROOT, 'dist', 'detect', `${name}.js`)),
  ),
)
const { values: options } = parseArgs({
  options: { work: { type: 'string' }, texts: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const pack = await loadPackage(process.cwd())
const { preprocessing, calibration, decisionBand, runtime } = pack.manifest
const features = await textFeaturesOf(pack, preprocessing)
const plan = { longest: preprocessing.windowCharacters, shortest: preprocessing.minCharacters }
const session = await ort.InferenceSession.create(runtime.model, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
})

/** The logit of one passage. */
async function logitOf(passage) {
  const inputs = features(passage).map(({ type, values, shape }) => new ort.Tensor(type, values, shape))
  const { logit } = await session.run(Object.fromEntries(runtime.input.map((name, at) => [name, inputs[at]])))
  return logit.data[0]
}

/** Logit and risk of a text, mean over its windows. */
async function score(text) {
  const logits = []
  for (const window of cutWindows(text, plan)) logits.push(await logitOf(window.text))
  const logit = logits.reduce((sum, one) => sum + one, 0) / logits.length
  return { logit, risk: calibrate(logit, calibration, Array.from(text).length) }
}

/** Area under the ROC curve; ties count half. */
function areaUnderCurve(labels, scores) {
  const [human, machine] = [0, 1].map((label) => scores.filter((_, at) => labels[at] === label))
  const wins = machine.flatMap((m) => human.map((h) => (m > h ? 1 : m === h ? 0.5 : 0)))
  return wins.reduce((sum, win) => sum + win, 0) / wins.length
}

if (options.work !== undefined) {
  const { texts, labels, logits } = JSON.parse(readFileSync(options.work, 'utf8'))
  const started = performance.now()
  const whole = []
  for (const text of texts) whole.push(await logitOf(text))
  const milliseconds = (performance.now() - started) / texts.length
  const windowed = []
  for (const text of texts) windowed.push((await score(text)).logit)
  const gaps = whole.map((logit, at) => Math.abs(logit - logits[at])).sort((a, b) => a - b)
  const figures = {
    texts: texts.length,
    largestGap: gaps.at(-1),
    medianGap: gaps[gaps.length >> 1],
    aucWhole: areaUnderCurve(labels, whole),
    aucByWindows: areaUnderCurve(labels, windowed),
    millisecondsPerText: Number(milliseconds.toFixed(2)),
  }
  console.log(figures)
  if (options.write) writeFileSync('evaluation/runtime.json', `${JSON.stringify(figures, null, 2)}\n`)
}

if (options.texts !== undefined) {
  const groups = new Map()
  for (const { source, text } of JSON.parse(readFileSync(options.texts, 'utf8'))) {
    const prose = normalizeText(text)
    if (prose.length < plan.shortest) continue
    groups.set(source, [...(groups.get(source) ?? []), (await score(prose)).risk])
  }
  for (const [source, risks] of groups) {
    const share = (holds) => Number((risks.filter(holds).length / risks.length).toFixed(4))
    console.log(source, {
      texts: risks.length,
      atRisk50: share((risk) => risk >= 0.5),
      aboveBand: share((risk) => risk >= decisionBand.high),
      belowBand: share((risk) => risk <= decisionBand.low),
      meanRisk: Number((risks.reduce((sum, risk) => sum + risk, 0) / risks.length).toFixed(3)),
    })
  }
}

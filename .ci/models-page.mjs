// The table of models/README.md, from each package's manifest and evaluation/metrics.json.
import fs from 'node:fs'
import path from 'node:path'

const FROM = '<!-- table: written by `npm run docs` -->'
const TO = '<!-- end of table -->'
const HEAD = [
  '| Detector | Left out of training | AUC | Found at 5 % false alarms | AUC, JPEG quality 50 | AUC, half size |',
  '|---|---|---|---|---|---|',
]

/** The text of models/README.md with its table brought up to date. */
export function modelsPage(folder = 'models') {
  const text = fs.readFileSync(path.join(folder, 'README.md'), 'utf8')
  const [before, after] = [text.indexOf(FROM), text.indexOf(TO)]
  if (before < 0 || after < before) throw new Error('models/README.md has lost the marks of its table.')
  const packages = fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, 'detector.json')))
  const rows = packages.flatMap((name) => rowsOf(path.join(folder, name)))
  return `${text.slice(0, before)}${[FROM, ...HEAD, ...rows].join('\n')}\n${text.slice(after)}`
}

function rowsOf(folder) {
  const { id, version } = readJson(folder, 'detector.json')
  const detector = `${id}@${version}`
  const metrics = readJson(folder, 'evaluation', 'metrics.json')
  const pairs = Object.values(metrics.folds).flatMap(({ pairs: inFold }) => Object.entries(inFold))
  return [
    ...pairs.map(([name, conditions]) => row(detector, name, conditions)),
    row(detector, '**all together**, calibrated across folds', metrics.pooled.ranking),
  ]
}

function row(detector, name, { clean, jpeg50, half }) {
  const found = `${(clean.tprAtFpr5 * 100).toFixed(0)} %`
  return `| ${[detector, name, clean.auc.toFixed(2), found, jpeg50.auc.toFixed(2), half.auc.toFixed(2)].join(' | ')} |`
}

function readJson(...parts) {
  return JSON.parse(fs.readFileSync(path.join(...parts), 'utf8'))
}

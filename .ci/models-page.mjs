// The tables of models/RESULTS.md, from each package's manifest and evaluation/metrics.json.
import fs from 'node:fs'
import path from 'node:path'
import { peersTable } from './peers-table.mjs'

const FROM = '<!-- tables: written by `npm run docs` -->'
const TO = '<!-- end of tables -->'
/** Degradations of the metrics.json files that do not name theirs. */
const PICTURE_CONDITIONS = {
  jpeg75: 'after JPEG at quality 75',
  jpeg50: 'at quality 50',
  half: 'at half size',
}

/** The text of models/RESULTS.md with its tables brought up to date. */
export function modelsPage(folder = 'models') {
  const text = fs.readFileSync(path.join(folder, 'RESULTS.md'), 'utf8')
  const [before, after] = [text.indexOf(FROM), text.indexOf(TO)]
  if (before < 0 || after < before) throw new Error('models/RESULTS.md has lost the marks of its tables.')
  const packages = fs.readdirSync(folder).filter((name) => fs.existsSync(path.join(folder, name, 'detector.json')))
  // A package that reads through others, such as the video one, has no pairs of its own.
  const judged = packages.filter((name) => readJson(folder, name, 'evaluation', 'metrics.json').pairs !== undefined)
  const crossed = packages
    .filter((name) => readJson(folder, name, 'evaluation', 'metrics.json').crossed !== undefined)
    .map((name) => crossedTable(path.join(folder, name)))
  const tables = [...crossed, ...judged.map((name) => tablesOf(path.join(folder, name)))].join('\n\n')
  const beside = besideTable(packages.map((name) => path.join(folder, name)))
  const verdicts = verdictsTable(packages.map((name) => path.join(folder, name)))
  const peers = packages
    .filter((name) => fs.existsSync(path.join(folder, name, 'evaluation', 'peers.json')))
    .map((name) => `${peersTable(name, readJson(folder, name, 'evaluation', 'peers.json'))}\n\n`)
  return `${text.slice(0, before)}${FROM}\n${verdicts}\n\n${beside}\n\n${peers.join('')}${tables}\n${text.slice(after)}`
}

/** The four figures of each package by the rule for verdicts, from evaluation/calibration.json. */
function verdictsTable(folders) {
  const percent = (value) => (value === null ? '–' : `${Math.round(100 * value)} %`)
  const rows = folders
    .filter((folder) => fs.existsSync(path.join(folder, 'evaluation', 'calibration.json')))
    .map((folder) => {
      const { id, version, openWeights = false, decisionBand } = readJson(folder, 'detector.json')
      const { decided, right, rightAtLeast, rightWhenFake, rightWhenReal } = readJson(
        folder,
        'evaluation',
        'calibration.json',
      ).bandAfter
      const shares = [decided, right, rightAtLeast, rightWhenFake, rightWhenReal].map(percent)
      const band = `${decisionBand.low} to ${decisionBand.high}`
      return row([`${id}@${version}`, openWeights ? 'yes' : 'no', band, ...shares])
    })
  const head = [
    'Detector',
    'Commercial use of the weights',
    'Band',
    'Decided',
    'Right',
    'Right at least, over sources',
    'Right when machine-made',
    'Right when real',
  ]
  return [row(head), row(head.map(() => '---')), ...rows].join('\n')
}

/** Each detector beside its floor and its peers; what those reached is stated in evaluation/beside.json, with its source. */
function besideTable(folders) {
  const rows = folders
    .filter((folder) => fs.existsSync(path.join(folder, 'evaluation', 'beside.json')))
    .map((folder) => {
      const { id, version } = readJson(folder, 'detector.json')
      const metrics = readJson(folder, 'evaluation', 'metrics.json')
      const { own, floor, peers, source } = readJson(folder, 'evaluation', 'beside.json')
      const reached = own.map(({ name, at }) => `${figure(at.reduce((value, key) => value?.[key], metrics))} ${name}`)
      const stated = (all) => all.map((one) => `${one.name}: ${one.figure}`).join('; ')
      return row([`${id}@${version}`, reached.join('; '), stated(floor), stated(peers), source])
    })
  const head = ['Detector', 'AUC', 'Floor', 'Peers', 'Floor and peers as stated by']
  return [row(head), row(head.map(() => '---')), ...rows].join('\n')
}

/** Files of sources that what scored them never saw: all, as found and as a site stores them, by kind and family. */
function crossedTable(folder) {
  const { id, version } = readJson(folder, 'detector.json')
  const { tables } = readJson(folder, 'evaluation', 'metrics.json').crossed
  const chosen = Object.entries(tables).filter(([name]) => /^(all|form: |kind: |family: (?!-))/.test(name))
  const percent = (value) => (value === null ? '–' : `${Math.round(100 * value)} %`)
  const head = [
    'Files',
    'Real, fake',
    'AUC',
    'Found at 5 %, 1 % of real ones flagged',
    'Real, fake at risk 50',
    'Coverage',
    'Right outside the band',
  ]
  const lines = chosen.map(([name, one]) =>
    row([
      name.replace(': ', ' '),
      `${one.real}, ${one.fake}`,
      one.auc === null ? '–' : `${figure(one.auc)} (${one.interval.map(figure).join(' to ')})`,
      `${percent(one.tprAtFpr5)}, ${percent(one.tprAtFpr1)}`,
      `${percent(one.realAt50)}, ${percent(one.fakeAt50)}`,
      percent(one.coverage),
      percent(one.rightOutsideBand),
    ]),
  )
  const title = `**${id}@${version}** on sources that the weights, fits and band which scored them never saw; a family against all real files, with 95 % intervals over sources:`
  return [title, '', row(head), row(head.map(() => '---')), ...lines].join('\n')
}

function tablesOf(folder) {
  const { id, version } = readJson(folder, 'detector.json')
  const {
    meanLeftOutAuc: mean,
    meanLeftOutAucBySource: bySource,
    pairs,
    conditions = PICTURE_CONDITIONS,
  } = readJson(folder, 'evaluation', 'metrics.json')
  const sources = Object.keys(bySource)
  const aucOf = (generator, source) =>
    pairs.find((pair) => pair.generator === generator && pair.source === source)?.conditions.clean.auc
  const generators = [...new Set(pairs.map(({ generator }) => generator))]
  return [
    `**${id}@${version}**, area under the ROC curve:`,
    '',
    row(['Generator left out', ...sources.map((source) => `${source} left out`)]),
    row(['---', ...sources.map(() => '---')]),
    ...generators.map((generator) => row([generator, ...sources.map((source) => figure(aucOf(generator, source)))])),
    row(['**mean**', ...sources.map((source) => figure(bySource[source]))]),
    '',
    `Mean ${figure(mean.clean)}; ${Object.entries(conditions)
      .map(([name, title]) => `${title} ${figure(mean[name])}`)
      .join(', ')}.`,
  ].join('\n')
}

function row(cells) {
  return `| ${cells.join(' | ')} |`
}

function figure(value) {
  return value === undefined || value === null ? '–' : value.toFixed(2)
}

function readJson(...parts) {
  return JSON.parse(fs.readFileSync(path.join(...parts), 'utf8'))
}

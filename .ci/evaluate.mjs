// Regenerates what comes from the real runtime in the evaluation folders of models/ (`npm run evaluate`).
//   npm run evaluate -- --fixture [--check]     every package on the sample media that come with attestd
//   npm run evaluate -- --package ID --logits FILE.csv [--method platt] [--accuracy 0.85]   calibration and band by the rule for verdicts, from
//     held-out logits that a recipe kept: columns label (real, fake), source, logit, and length for by-length
//   npm run evaluate -- --package ID --data INDEX [--root DIR] [--limit N] [--prior SHARE] [--by COLUMNS]
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { calibratedBy } from '../dist/app/lab/calibrate-model.js'
import { progressBar } from '../dist/cli/terminal/progress.js'
import { loadSettings } from '../dist/config/load.js'
import { systemClock } from '../dist/core/clock.js'
import { listenForStop } from '../dist/core/shutdown.js'
import { loadPackage } from '../dist/detect/package/package-loader.js'
import { evaluateIntoPackage, evaluateOnFixture } from './evaluate-packages.mjs'

const { values } = parseArgs({
  options: {
    fixture: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    package: { type: 'string' },
    data: { type: 'string' },
    logits: { type: 'string' },
    method: { type: 'string', default: 'platt' },
    accuracy: { type: 'string', default: '0.85' },
    root: { type: 'string' },
    limit: { type: 'string' },
    prior: { type: 'string' },
    by: { type: 'string', default: 'source,generator' },
  },
})
const { settings } = loadSettings({ env: process.env })
const signals = listenForStop(systemClock)
const watch = { signal: signals.drain, onProgress: progressBar(process.stderr, 'rows') }
const evaluated = values.fixture
  ? await evaluateOnFixture(settings, values.check, watch)
  : [await (values.logits === undefined ? evaluateOne() : calibrateOne())]
signals.dispose()
for (const { id, summary, holds } of evaluated) process.stdout.write(`${holds ? '✓' : '✗'} ${id}: ${summary}\n`)
if (evaluated.some(({ holds }) => !holds)) {
  process.stdout.write('Run `npm run evaluate -- --fixture` and commit the result, if the change is meant.\n')
  process.exitCode = 1
}

async function calibrateOne() {
  const { package: id, logits, method, accuracy } = values
  const text = fs.readFileSync(logits)
  const rows = parse(text, { columns: true }).map(({ label, source, logit, length }, index) => ({
    row: { id: String(index), fake: label === 'fake', columns: { source } },
    detection: { rawScore: Number(logit), length: length === undefined ? undefined : Number(length) },
  }))
  const detector = await loadPackage(path.join(settings.modelsDir, id))
  const data = { from: path.basename(logits), digest: createHash('sha256').update(text).digest('hex') }
  const { bandAfter } = await calibratedBy(settings, detector, rows, data, {
    method,
    accuracy: Number(accuracy),
    write: true,
    command: `npm run evaluate -- --package ${id} --logits ${path.basename(logits)} --method ${method} --accuracy ${accuracy}`,
    signal: signals.drain,
  })
  return { id, summary: JSON.stringify(bandAfter), holds: true }
}

function evaluateOne() {
  const { package: id, data, root = null, limit, prior, by } = values
  if (id === undefined || data === undefined) throw new Error('--fixture, or --package ID and --data INDEX are needed.')
  const words = process.argv.slice(2).join(' ')
  return evaluateIntoPackage(settings, id, {
    data,
    root,
    limit: limit === undefined ? null : Number(limit),
    prior: prior === undefined ? null : Number(prior),
    by: by.split(','),
    command: `npm run evaluate -- ${words}`,
    ...watch,
  })
}

// Writes the pages that are generated from tables in src/ and models/ (`npm run docs`); with --check it only compares.
import fs from 'node:fs'
import { z } from 'zod'
import { manifestSchema } from '../dist/detect/package/manifest.js'
import { metricsPage } from './metrics-page.mjs'
import { modelsPage, peersPages, readmePage } from './models-page.mjs'
import { samplesPage } from './samples-page.mjs'
import { exampleFile, reasonsPage, settingsPage } from './settings-page.mjs'

/** The alert rules as the Prometheus operator reads them. */
function prometheusRule() {
  const rules = fs.readFileSync('config/prometheus/alerts.yaml', 'utf8')
  const groups = rules.slice(rules.indexOf('\ngroups:') + 1).replaceAll(/^(?=.)/gm, '  ')
  return `# Written by npm run docs from config/prometheus/alerts.yaml.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: attestd
  labels: { app.kubernetes.io/name: attestd }
spec:
${groups}`
}

/** What an editor checks a detector.json by; what fields require of each other, only attestd checks. */
function manifestJsonSchema() {
  const schema = { title: 'detector.json of attestd', ...z.toJSONSchema(manifestSchema, { io: 'input' }) }
  return `${JSON.stringify(schema, null, 2)}\n`
}

const pages = {
  'config/detectors/detector.schema.json': manifestJsonSchema(),
  'config/SETTINGS.md': settingsPage(),
  'config/attestd.example.yaml': exampleFile(),
  'config/METRICS.md': metricsPage(),
  'config/REASONS.md': reasonsPage(),
  'README.md': readmePage(),
  'models/RESULTS.md': modelsPage(),
  ...peersPages(),
  'samples/README.md': samplesPage(),
  'config/kubernetes/monitoring/prometheus-rule.yaml': prometheusRule(),
}
const check = process.argv.includes('--check')
const read = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '')
const drifted = Object.keys(pages).filter((file) => read(file) !== pages[file])
if (!check) for (const file of drifted) fs.writeFileSync(file, pages[file])
for (const file of drifted) process.stdout.write(`${check ? 'drifted' : 'written'}: ${file}\n`)
if (check && drifted.length > 0) {
  process.stdout.write('Run `npm run docs` and commit the result.\n')
  process.exit(1)
}

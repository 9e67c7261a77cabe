// Runs every expression of config/grafana/attestd.json and config/prometheus/alerts.yaml against a real Prometheus that
// scrapes a real daemon at work on the sandbox: no panel is empty but those whose description says when they are, no
// rule fails, and a daemon that works raises no alert. Needs `npm run build`, and prometheus and promtool on the PATH.
import { execFileSync } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { startDaemonProcess } from '../dist/app/demo/daemon-process.js'
import { readSamples } from '../dist/app/samples.js'
import { systemClock } from '../dist/core/clock.js'
import { startSandbox } from '../dist/sandbox/create-sandbox.js'
import { STATES_EMPTY, startPrometheus } from './prometheus.mjs'

/** The whole run lies within it, so that what happened once is in every rate. */
const INTERVAL = '2m'
/** Assets in three lots, since a rate needs a change between two scrapes. */
const LOTS = 3
const LOT_SIZE = 4
const LOT_LIMIT_MS = 60_000
/** A scrape that was late on a busy machine is over with the next one. */
const QUIET_LIMIT_MS = 20_000

const sandboxEnv = ({ url, attesterKey }) => ({
  ATTESTD_SERVICE_URL: url,
  ATTESTD_IPFS_GATEWAYS: url,
  ATTESTD_ACCESS_KEY: attesterKey.accessKey,
  ATTESTD_SIGNING_SECRET: attesterKey.signingSecret,
  ATTESTD_HTTP_PORT: '0',
  ATTESTD_DETECTORS: 'attestd-image',
  ATTESTD_UNSURE_POLICY: 'submit',
})

const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-dashboard-'))
const ending = [() => fs.rm(folder, { recursive: true, force: true })]
const wrong = []
try {
  const sandbox = await startSandbox({ clock: systemClock, port: 0 })
  ending.push(() => sandbox.close())
  const daemon = await startDaemonProcess({
    dataDir: path.join(folder, 'data'),
    logFile: path.join(folder, 'daemon.log'),
    clock: systemClock,
    startMs: 120_000,
    env: sandboxEnv(sandbox),
  })
  ending.push(async () => {
    daemon.kill('SIGTERM')
    await daemon.exited
  })
  const { host: target } = new URL(daemon.control.url)
  const rules = path.resolve('config/prometheus/alerts.yaml')
  const prometheus = await startPrometheus({ folder, target, rules })
  ending.push(() => prometheus.stop())
  await work(sandbox, prometheus)
  await checkText(daemon.control)
  await checkPanels(prometheus)
  await checkRules(prometheus)
} finally {
  for (const end of ending.toReversed()) await end()
}
for (const line of wrong) process.stdout.write(`${line}\n`)
process.exitCode = wrong.length > 0 ? 1 : 0

/** Pictures that are scored, and in each lot a text that says it is one. */
async function work(sandbox, prometheus) {
  const pictures = (await readSamples()).filter(({ mediaType }) => mediaType === 'image')
  for (let lot = 1; lot <= LOTS; lot++) {
    const ended = `sum(attestd_scores_total) + sum(attestd_abstained_total)`
    await sandbox.registerFile(`notes-${lot}.jpg`, { content: Buffer.from(`no picture ${lot}\n`) })
    for (const { path: file } of pictures.splice(0, LOT_SIZE - 1)) {
      await sandbox.registerFile(file, { turnaround: 'priority_5min' })
    }
    const allEnded = async () => {
      const [sample] = await prometheus.samples(ended)
      return Number(sample?.value[1]) >= lot * LOT_SIZE
    }
    if (!(await until(allEnded, LOT_LIMIT_MS))) throw new Error(`lot ${lot} did not end`)
  }
}

/** @returns whether it came true in time */
async function until(look, limitMs) {
  const deadline = systemClock.monotonic() + limitMs
  while (!(await look())) {
    if (systemClock.monotonic() > deadline) return false
    await systemClock.sleep(200)
  }
  return true
}

/** The names and the format of what is scraped, by Prometheus's own judge. */
async function checkText({ url, token }) {
  const reply = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${token}` } })
  try {
    execFileSync('promtool', ['check', 'metrics'], { input: await reply.text(), stdio: 'pipe' })
  } catch (error) {
    wrong.push(`promtool check metrics: ${error.stderr}`)
  }
}

async function checkPanels(prometheus) {
  const { panels } = JSON.parse(await fs.readFile('config/grafana/attestd.json', 'utf8'))
  let [full, empty] = [0, 0]
  for (const { title, description, targets = [] } of panels) {
    for (const { expr } of targets) {
      const found = await prometheus.samples(expr.replaceAll('$__rate_interval', INTERVAL))
      if (found.length > 0) full++
      else if (STATES_EMPTY.test(description)) empty++
      else wrong.push(`panel "${title}" is empty: ${expr}`)
    }
  }
  process.stdout.write(
    `dashboard: ${full} expressions with data, ${empty} empty for the reason that their panel states\n`,
  )
}

async function checkRules(prometheus) {
  const isQuiet = ({ health, state }) => health === 'ok' && state === 'inactive'
  await until(async () => (await prometheus.rules()).every(isQuiet), QUIET_LIMIT_MS)
  const rules = await prometheus.rules()
  for (const { health, lastError = '', name, state } of rules.filter((rule) => !isQuiet(rule))) {
    wrong.push(`rule ${name}: ${health} ${lastError}, and ${state} although the daemon works`)
  }
  process.stdout.write(`rules: ${rules.length} evaluated\n`)
}

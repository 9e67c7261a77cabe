// A Prometheus of its own for one check: scrapes a daemon every second and evaluates our rules.
import { spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A description of a panel that states when it is empty; test/docs/prometheus.test.ts asks for it where an expression may be. */
export const STATES_EMPTY = /\bEmpty (?:while|without|on)\b/

const START_MS = 30_000

/** Starts the `prometheus` of the machine. @param target HOST:PORT of the daemon @param rules absolute path of the rules */
export async function startPrometheus({ folder, target, rules }) {
  const config = path.join(folder, 'prometheus.yml')
  await fs.writeFile(config, configText(target, rules))
  const logFile = path.join(folder, 'prometheus.log')
  const log = await fs.open(logFile, 'w')
  const args = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(folder, 'tsdb')}`,
    '--web.listen-address=127.0.0.1:0',
  ]
  const child = spawn('prometheus', args, { stdio: ['ignore', log.fd, log.fd] })
  // One that is not installed has ended too, and is reported below.
  child.once('error', () => {})
  const exited = new Promise((resolve) => child.once('close', resolve))
  await log.close()
  const ask = async (route, query = {}) => {
    const response = await fetch(`${url}${route}?${new URLSearchParams(query)}`)
    const { data, error, status } = await response.json()
    if (status !== 'success') throw new Error(`${query.query ?? route}: ${error}`)
    return data
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
  }
  let url
  try {
    url = await untilReady(child, logFile)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    /** Samples of an instant query that are numbers. */
    async samples(query) {
      const { result } = await ask('/api/v1/query', { query })
      return result.filter(({ value }) => value[1] !== 'NaN')
    },
    rules: async () => (await ask('/api/v1/rules')).groups.flatMap((group) => group.rules),
    stop,
  }
}

function configText(target, rules) {
  return [
    'global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }',
    `rule_files: [${JSON.stringify(rules)}]`,
    'scrape_configs:',
    `  - { job_name: attestd, static_configs: [{ targets: [${JSON.stringify(target)}] }] }`,
    '',
  ].join('\n')
}

/** @returns its URL, whose port its log states */
async function untilReady(child, logFile) {
  const deadline = performance.now() + START_MS
  while (child.exitCode === null && performance.now() < deadline) {
    const [, address] = /Listening on".* address=(\S+)/.exec(await fs.readFile(logFile, 'utf8')) ?? []
    const ready = address && (await fetch(`http://${address}/-/ready`).catch(() => null))
    if (ready?.ok) return `http://${address}`
    await sleep(100)
  }
  throw new Error('prometheus did not start')
}

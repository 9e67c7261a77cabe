// `npm run soak`: what the real daemon takes while it scores many assets: memory, descriptors, disk and event-loop delay as a
// table. Its detector is a module that reads a text and nothing more, so that the daemon is what is loaded. Options:
// `--assets 2000`, `--rows 10`, `--open 200` (assets open at once), `--queue embedded|redis`, `--minutes N` (ends it early).
// `--hostile`: instead, when a daemon with the real detectors scores 10 honest urgent assets among `--assets` (10,000) of which
// all others are hostile; `--honest 10`, `--per-second 10`. The exit code is 1 where one of them was not scored in time.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/core/clock.js'
import type { Sandbox } from '../../src/sandbox/create-sandbox.js'
import { startBenchDaemon } from '../bench/bench-daemon.js'
import { writeModulePackage } from '../support/other-packages.js'
import { startRedisServer } from '../support/redis-server.js'
import { startSandbox } from '../support/sandbox.js'
import { soakHostile } from './hostile.js'
import { type Sample, takeSample } from './sample.js'

const { values } = parseArgs({
  options: {
    assets: { type: 'string' },
    hostile: { type: 'boolean', default: false },
    honest: { type: 'string', default: '10' },
    'per-second': { type: 'string', default: '10' },
    rows: { type: 'string', default: '10' },
    open: { type: 'string', default: '200' },
    queue: { type: 'string', default: 'embedded' },
    minutes: { type: 'string', default: '600' },
  },
})
const ASSETS = Number(values.assets ?? (values.hostile ? 10_000 : 2_000))
const OPEN = Number(values.open)
const endsAt = performance.now() + Number(values.minutes) * 60_000
const LOOK_MS = 200
/** Longest time in which no asset at all is scored, ms. */
const STUCK_MS = 300_000
/** How much more the last quarter of the rows may take than the second one; what leaks takes more. */
const GROWTH = { rssMb: 1.25, heapMb: 1.5, childrenMb: 1.25, descriptors: 1.2 } as const

const DETECTOR = `
import fs from 'node:fs/promises'
export const createDetector = () => ({
  measure: async (file) => ({ logit: (await fs.readFile(file, 'utf8')).length / 100, notes: 'soak', parts: [] }),
})`
const COLUMNS: readonly (keyof Sample)[] = [
  'rssMb',
  'heapMb',
  'childrenMb',
  'descriptors',
  'diskMb',
  'files',
  'logMb',
  'loopP99Ms',
  'loopMaxMs',
]

const print = (line: string) => process.stdout.write(`${line}\n`)

/** Keeps `OPEN` assets open until so many are scored; those that are scored close. @returns whether there was time for it */
async function scoreUpTo(sandbox: Sandbox, total: number): Promise<boolean> {
  let [registered, closed, movedAt] = [sandbox.world.assets.all().length, sandbox.scores().length, performance.now()]
  while (closed < total) {
    if (performance.now() > endsAt) return false
    const scores = sandbox.scores()
    if (scores.length > closed) movedAt = performance.now()
    if (performance.now() - movedAt > STUCK_MS) throw new Error(`stuck at ${closed} scores`)
    for (const { assetId } of scores.slice(closed)) sandbox.world.assets.switch(assetId, 'closed')
    closed = scores.length
    for (; registered < Math.min(total, closed + OPEN); registered++)
      await sandbox.registerFile(`${registered}.txt`, {
        content: Buffer.from(`asset ${registered} `.repeat(30)),
        mediaType: 'text',
      })
    await systemClock.sleep(LOOK_MS)
  }
  return true
}

/**
 * What takes more in the last quarter of the rows than in the second one, by then caches and pools are filled. The least of
 * each counts: a detector process that is just being replaced is there twice.
 */
function growing(samples: readonly Sample[]): string[] {
  const quarter = Math.floor(samples.length / 4)
  if (quarter === 0) return []
  const [second, last] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)]
  const least = (of: readonly Sample[], name: keyof Sample) => Math.min(...of.map((sample) => sample[name]))
  return Object.entries(GROWTH).flatMap(([name, most]) => {
    const [from, to] = [least(second, name as keyof Sample), least(last, name as keyof Sample)]
    return to > from * most ? [`${name} grew from ${from.toFixed(0)} to ${to.toFixed(0)}`] : []
  })
}

async function soak(folder: string, sandbox: Sandbox, queueUrl: string): Promise<void> {
  const paths = { dataDir: path.join(folder, 'data'), logFile: path.join(folder, 'daemon.log') }
  await writeModulePackage(path.join(folder, 'models'), { 'main.mjs': DETECTOR })
  const daemon = await startBenchDaemon(sandbox, folder, {
    ATTESTD_QUEUE_URL: queueUrl,
    ATTESTD_MODELS_DIR: path.join(folder, 'models'),
    ATTESTD_DETECTOR_WORKERS: '1',
  })
  const started = performance.now()
  const samples: Sample[] = []
  print(['minutes', 'scored', ...COLUMNS].map((name) => name.padStart(11)).join(''))
  try {
    for (let row = 1; row <= Number(values.rows); row++) {
      const isWhole = await scoreUpTo(sandbox, Math.round((ASSETS * row) / Number(values.rows)))
      const sample = await takeSample(daemon, paths)
      samples.push(sample)
      const facts = [
        (performance.now() - started) / 60_000,
        sandbox.scores().length,
        ...COLUMNS.map((name) => sample[name]),
      ]
      print(facts.map((value) => value.toFixed(Number.isInteger(value) ? 0 : 1).padStart(11)).join(''))
      if (!isWhole || daemon.ended()) break
    }
    const distinct = new Set(sandbox.scores().map(({ assetId }) => assetId)).size
    const wrongs = [...growing(samples), ...(distinct === sandbox.scores().length ? [] : ['an asset was scored twice'])]
    for (const wrong of wrongs) print(`WRONG: ${wrong}`)
    if (wrongs.length > 0 || daemon.ended()) process.exitCode = 1
  } finally {
    daemon.kill('SIGTERM')
    print(`The daemon ended with ${await daemon.exited}.`)
  }
}

async function soakUsual(): Promise<void> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-soak-'))
  const sandbox = await startSandbox({ rateLimit: null, embeddedWallet: null })
  const redis = values.queue === 'redis' ? await startRedisServer({ appendonly: true }) : null
  print(`${ASSETS} assets, ${OPEN} open at once, queue ${values.queue}, Node ${process.version}`)
  try {
    await soak(folder, sandbox, redis?.url ?? 'embedded:')
  } finally {
    await Promise.all([sandbox.close(), redis?.stop()])
    await fs.rm(folder, { recursive: true, force: true })
  }
}

if (values.hostile) {
  const [honest, perSecond] = [Number(values.honest), Number(values['per-second'])]
  const isInTime = await soakHostile({ assets: ASSETS, honest, perSecond, isRedis: values.queue === 'redis' })
  if (!isInTime) process.exitCode = 1
} else await soakUsual()

// Jobs per second of a queue engine: node test/bench/queue-speed.mjs [URL] [--fsync] [--jobs N]. Needs a build.
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../dist/core/clock.js'
import { silentLog } from '../../dist/core/log.js'
import { openQueueEngine } from '../../dist/queue/engine.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fsync: { type: 'boolean', default: false }, jobs: { type: 'string', default: '2000' } },
})
const [url = 'embedded:'] = positionals
const jobs = Number(values.jobs)
/** Adds in flight, and jobs at the same time. */
const WIDTH = 8

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'attestd-bench-'))
const engine = await openQueueEngine({
  url,
  dataDir,
  prefix: `bench-${process.pid}`,
  lockMs: 30_000,
  fsync: values.fsync,
  concurrency: { analyze: WIDTH, submit: WIDTH },
  attempts: { analyze: 3, submit: 3 },
  clock: systemClock,
  random: Math.random,
  log: silentLog,
})

/** The way of a job through the daemon: analyze, add to submit, record the attempt, submit. */
async function spine() {
  let done = 0
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  const analyze = await engine.work(
    'analyze-image',
    async (run) => {
      await engine.add('submit', run.id, run.data, { priority: 1 })
      return { kind: 'done', result: null }
    },
    {},
  )
  const submit = await engine.work(
    'submit',
    async (run) => {
      await run.save({ ...run.data, sent: { tries: 1 } })
      return { kind: 'done', result: null }
    },
    { completed: () => ++done === jobs && finish() },
  )
  await finished
  await analyze.stop(1000)
  await submit.stop(1000)
}

async function perSecond(work) {
  const start = performance.now()
  await work()
  return Math.round(jobs / ((performance.now() - start) / 1000))
}

async function addAll() {
  for (let i = 0; i < jobs; i += WIDTH) {
    const some = Array.from({ length: Math.min(WIDTH, jobs - i) }, (_, n) => i + n)
    await Promise.all(
      some.map((n) => engine.add('analyze-image', `job-${n}`, { uri: `ipfs://bafy${n}` }, { priority: 1 + (n % 4) })),
    )
  }
}

const added = await perSecond(addAll)
const through = await perSecond(spine)
console.log(
  JSON.stringify({ engine: engine.kind, fsync: values.fsync, jobs, addedPerSecond: added, assetsPerSecond: through }),
)
await engine.close()
await rm(dataDir, { recursive: true, force: true })

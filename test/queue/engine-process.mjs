// A process that owns a queue engine, for tests that kill it. argv[2]: JSON of url, dataDir, lockMs and mode.
import { systemClock } from '../../dist/core/clock.js'
import { silentLog } from '../../dist/core/log.js'
import { openQueueEngine } from '../../dist/queue/engine.js'

const { url, dataDir, lockMs, mode } = JSON.parse(process.argv[2])
const engine = await openQueueEngine({
  url,
  dataDir,
  lockMs,
  prefix: 'attestd-test',
  concurrency: { analyze: 1, submit: 1 },
  retryMaxMs: 500,
  clock: systemClock,
  random: () => 0,
  log: silentLog,
})
console.log('open')

await engine.work(
  'analyze-image',
  async (run) => {
    await run.save({ ...run.data, step: 'sent' })
    console.log(`holding ${run.id}`)
    // Never ends: the parent kills this process while it holds the job.
    return await new Promise(() => {})
  },
  {},
)
console.log('working')
if (mode === 'flood') {
  // Until it is killed.
  for (let i = 0; ; i++) {
    await engine.add('analyze-image', `flood-${i}`, { i }, { priority: 5 })
    console.log(`added ${i}`)
  }
}

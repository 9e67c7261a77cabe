// `npm run bench:scale`: what a queue on one Redis carries. Real daemons against the sandbox; the detector's latency is that of a
// model server, since no machine at hand could compute for 64 of them. Prints jobs/s beside linear, how soon an urgent asset is
// taken before 100,000 others, start and memory of a daemon that finds 100,000 waiting on either engine, how long a daemon takes
// to queue 10,000 open assets, and how often the same content was inferred.
// `--workers 1,2,4`, `--jobs` (of each worker), `--latency` (ms), `--only fleet|urgent|snapshot|same|waiting`.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findRedisServer } from '../support/redis-server.js'
import { measureFleet, measureSameContent } from './scale-fleet.js'
import { measureSnapshot, measureUrgent, measureWaiting } from './scale-queue.js'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4,8,16,32,64' },
    jobs: { type: 'string', default: '24' },
    latency: { type: 'string', default: '5000' },
    only: { type: 'string' },
  },
})
if (!findRedisServer()) throw new Error('bench:scale needs redis-server on the path (Debian package redis-server)')

const print = (line: string) => process.stdout.write(`${line}\n`)
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-scale-'))
const wanted = (part: string) => values.only === undefined || values.only === part
try {
  print(`${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}`)
  if (wanted('urgent')) {
    const { added, waiting, takenMs } = await measureUrgent(100_000)
    print(
      `urgent: taken first, ${takenMs.toFixed(0)} ms after it was added, before ${waiting} waiting (added at ${added.toFixed(0)}/s)`,
    )
  }
  if (wanted('waiting')) {
    for (const engine of ['embedded', 'redis'] as const) {
      for (const waiting of [0, 100_000]) {
        const cost = await measureWaiting(path.join(folder, `${engine}-${waiting}`), waiting, engine)
        const [ready, processor] = [cost.readyMs, cost.processorMs].map((ms) => `${(ms / 1000).toFixed(1)} s`)
        const [held, most] = [cost.residentMb, cost.peakMb].map((mb) => `${mb.toFixed(0)} MB`)
        print(
          `${engine}, ${waiting} waiting: ready after ${ready} (${processor} of processor), holds ${held}, at most ${most}`,
        )
      }
    }
  }
  if (wanted('snapshot')) {
    const { newMs, knownMs, closed } = await measureSnapshot(path.join(folder, 'snapshot'), 10_000)
    print(`10,000 open assets: queued ${newMs.toFixed(0)} ms after the first list was asked for; after a restart, with`)
    print(`  ${closed} of them closed meanwhile, in accord with the service after ${knownMs.toFixed(0)} ms`)
  }
  if (wanted('same')) {
    const { assets, contents, measured } = await measureSameContent(path.join(folder, 'same'))
    print(`${assets} assets of ${contents} contents on 8 workers: ${measured} measured, the rest known`)
  }
  if (wanted('fleet')) {
    const sizes = values.workers.split(',').map(Number)
    print(`workers, one job at a time of ${values.latency} ms on average: jobs/s, and beside linear`)
    const jobs = Number(values.jobs)
    const latencyMs = Number(values.latency)
    await measureFleet(path.join(folder, 'fleet'), { sizes, jobs, latencyMs }, (row) => {
      const { workers, jobsPerSecond, ofLinear } = row
      print(`  ${String(workers).padStart(3)}  ${jobsPerSecond.toFixed(2).padStart(7)}  ${ofLinear.toFixed(2)}`)
    })
  }
} finally {
  await fs.rm(folder, { recursive: true, force: true })
}

// `npm run bench:slow`: how long honest urgent assets take from registration to score on one daemon that has 200 urgent assets
// ahead whose media comes at one byte per 5 s, on each queue engine. `--slow`, `--honest`, `--limit` (seconds, the exit code
// is 1 when an honest asset takes longer).
import { parseArgs } from 'node:util'
import { DaemonBench } from '../support/daemon-bench.js'
import { findRedisServer } from '../support/redis-server.js'
import { honestLatencies } from '../support/slow-media.js'

const { values } = parseArgs({
  options: {
    slow: { type: 'string', default: '200' },
    honest: { type: 'string', default: '8' },
    limit: { type: 'string', default: '60' },
  },
})
const [slow, honest, limit] = [Number(values.slow), Number(values.honest), Number(values.limit)]
/** Patience beyond the limit, so that the figure is printed, ms. */
const GIVE_UP_MS = 600_000

for (const queue of ['embedded', 'redis']) {
  if (queue === 'redis' && !findRedisServer()) {
    process.stdout.write('redis: skipped, no redis-server on the path\n')
    continue
  }
  const bench = await DaemonBench.create()
  try {
    const settings = queue === 'redis' ? { ATTESTD_QUEUE_URL: (await bench.redis()).url } : {}
    const ms = await honestLatencies(bench, { slow, honest, limitMs: GIVE_UP_MS }, settings)
    const seconds = ms.map((one) => one / 1000)
    const late = seconds.filter((one) => one > limit).length
    if (late > 0) process.exitCode = 1
    const all = seconds.map((one) => one.toFixed(1)).join(' ')
    process.stdout.write(
      `${queue}: ${slow} slow ahead, ${honest} honest scored after ${all} s; ${late} over ${limit} s\n`,
    )
  } finally {
    await bench.dispose()
  }
}

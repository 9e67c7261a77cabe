import { afterEach, describe, expect, it } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'
import { reach, slowService, workMoment } from '../support/fault-run.js'
import { startCluster } from '../support/redis-cluster.js'
import { failOver, type RedisGroup } from '../support/redis-failover.js'
import { SENTINEL_PASSWORDS, startSentinels } from '../support/redis-sentinels.js'
import { findRedisServer } from '../support/redis-server.js'

const DAEMONS = 2
const ASSETS = 6
/** Longer than a failover takes, ms. */
const WINDOW_MS = 8000
/**
 * A score that is stored late is so at most twice the window after its signature: it arrives within the window, however busy the
 * machine is, and is stored a window later. The daemons count both from the signature.
 */
const STORE_MS = WINDOW_MS + 2000

const SHAPES = [
  { shape: 'Sentinel', start: startSentinels },
  { shape: 'a cluster', start: () => startCluster() },
]

let bench: DaemonBench
let group: RedisGroup | undefined

afterEach(async () => {
  await bench.dispose()
  await group?.stop()
})

describe.skipIf(findRedisServer() === null).each(SHAPES)('failovers of Redis with $shape', ({ shape, start }) => {
  it('lose and double nothing, not even what no replica had yet', async () => {
    const seed = `failover-${shape}`
    bench = await DaemonBench.create({
      timestampWindowMs: WINDOW_MS,
      faults: slowService(seed),
    })
    group = await start()
    const env = {
      ATTESTD_QUEUE_URL: group.url,
      ATTESTD_QUEUE_SENTINEL_PASSWORD: SENTINEL_PASSWORDS.sentinel,
      ATTESTD_TIMESTAMP_WINDOW_MS: String(WINDOW_MS),
      ATTESTD_STORE_TIME_MS: String(STORE_MS),
    }
    const daemons = Array.from({ length: DAEMONS }, (_, nth) => bench.start(env, `daemon-${nth}`))
    await Promise.all(daemons.map((daemon) => daemon.serving()))

    const reached = reach(bench, workMoment(seed, 0))
    await bench.registerMany(ASSETS, seed)
    await reached
    await failOver(group)
    await bench.registerMany(ASSETS, seed)
    await bench.expectExactlyOneEach()

    // What is queued, taken and recorded while the replicas hang is lost with the primary. A score that was sent then
    // would be stored only when the daemons know nothing of it any more.
    bench.sandbox.world.faults.setPlan({
      rules: [{ route: 'score', fault: 'late-store', ms: WINDOW_MS, untilAttempt: 1 }],
    })
    await failOver(group, async () => {
      const fetched = reach(bench, { route: 'gateway', requests: ASSETS, laterMs: 1500 })
      await bench.registerMany(ASSETS, seed)
      await fetched
    })
    await bench.registerMany(ASSETS, seed)
    await bench.expectExactlyOneEach()
    expect(daemons.every(({ running }) => running)).toBe(true)
  })
})

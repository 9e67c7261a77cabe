import { describe, expect, it, type TestContext } from 'vitest'
import { DaemonBench } from '../support/daemon-bench.js'
import { findRedisServer } from '../support/redis-server.js'
import { honestLatencies } from '../support/slow-media.js'

/** One fetch of slow media took this long, and held an analyze slot all the time, ms. */
const SLOW_FETCH_MS = 120_000

async function run({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, redis: boolean): Promise<number[]> {
  const bench = await DaemonBench.create()
  onTestFinished(() => bench.dispose())
  await bench.prepare()
  const settings = redis ? { ATTESTD_QUEUE_URL: (await bench.redis()).url } : {}
  return honestLatencies(bench, { slow: 24, honest: 8, limitMs: SLOW_FETCH_MS }, settings)
}

describe('24 urgent assets whose media comes at one byte per 5 s, ahead of 8 honest urgent ones', () => {
  it('all honest ones are scored while the slow ones still arrive, on the embedded queue', async (context) => {
    expect(await run(context, false)).toHaveLength(8)
  })

  it.skipIf(!findRedisServer())('and on Redis', async (context) => {
    expect(await run(context, true)).toHaveLength(8)
  })
})

import { describe, expect, it } from 'vitest'
import { benchOfTest } from '../support/bench-of-test.js'
import { findRedisServer } from '../support/redis-server.js'
import { honestLatencies } from '../support/slow-media.js'

/** One fetch of slow media took this long, and held an analyze slot all the time, ms. */
const SLOW_FETCH_MS = 120_000

async function run(redis: boolean): Promise<number[]> {
  const bench = await benchOfTest()
  const settings = redis ? { ATTESTD_QUEUE_URL: (await bench.redis()).url } : {}
  return honestLatencies(bench, { slow: 24, honest: 8, limitMs: SLOW_FETCH_MS }, settings)
}

describe('24 urgent assets whose media arrives at one byte per 5 s, before 8 honest urgent ones', () => {
  it('all honest ones are scored while the slow ones still arrive, on the embedded queue', async () => {
    expect(await run(false)).toHaveLength(8)
  })

  it.skipIf(!findRedisServer())('and on Redis', async () => {
    expect(await run(true)).toHaveLength(8)
  })
})

import path from 'node:path'
import { expect, it } from 'vitest'
import { attestdVerb } from '../support/attestd-verb.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { findRedisServer } from '../support/redis-server.js'

it.skipIf(findRedisServer() === null)(
  'a revoked key shows on a daemon that only submits, also before it sends',
  async () => {
    const bench = await benchOfTest()
    const { url } = await bench.redis()
    const daemon = await bench.startHere({ ATTESTD_QUEUE_URL: url, ATTESTD_ROLES: 'submit' }).ready()
    bench.sandbox.world.keys.revoke(bench.sandbox.attesterKey.id)
    const named = () => daemon.metric('attestd_not_ready', 'check="stake"', 'reason="service-unauthorized"')
    await bench.until('a key that is named', async () => (await named()) === 1)
    expect((await daemon.get('/readyz')).status).toBe(503)
  },
)

it('a rejected submission shows that the key was revoked, long before the next list, and costs no job and no process', async () => {
  const bench = await benchOfTest({ faults: { rules: [{ route: 'one', fault: 'slow', ms: 300 }] } })
  const daemon = await bench.startHere({ ATTESTD_LIST_EVERY_MS: '3600000' }).ready()
  await bench.registerMany(2, 'sending')
  await bench.until('a question', () => bench.requests('one') > 0)
  bench.sandbox.world.keys.revoke(bench.sandbox.attesterKey.id)
  const named = () => daemon.metric('attestd_not_ready', 'check="stake"', 'reason="service-unauthorized"')
  await bench.until('a key that is named', async () => (await named()) === 1)
  await bench.until('not ready', async () => (await daemon.get('/readyz')).status === 503)
  expect(daemon.log.some(({ reason }) => reason === 'service-unauthorized')).toBe(true)
  expect((await daemon.get('/healthz')).status).toBe(200)
  expect(await daemon.failedJobs()).toEqual([])
  expect(await daemon.drain()).toBe(0)
})

it('an asset that closes while its job waits is dropped without being fetched', async () => {
  const bench = await benchOfTest()
  const daemon = await bench.startHere().ready()
  const verb = (...words: string[]) => attestdVerb([...words, '--data-dir', path.join(bench.folder, 'main')], {})
  await verb('queue', 'pause', '--queue', 'analyze')
  const assets = await bench.registerMany(6, 'closing')
  const count = (how: string) => daemon.metric('attestd_assets_total', `how="${how}"`)
  await bench.until('all queued', async () => (await count('enqueued')) === 6)
  const last = assets.at(-1)!
  bench.sandbox.world.assets.switch(last.id, 'closed')
  await bench.until('the drop', async () => (await count('dropped')) === 1)
  await verb('queue', 'resume')
  await bench.until('five scores', () => bench.sandbox.scores().length === 5)
  await bench.quiet()
  expect(bench.scoreCounts()).toEqual(Object.fromEntries(assets.map(({ id }) => [id, id === last.id ? 0 : 1])))
  expect(daemon.log.filter(({ reason }) => reason === 'asset-closed')).toMatchObject([{ asset: last.id }])
  expect(await count('dropped')).toBe(1)
  const fetched = bench.sandbox.world.faults.counts().filter(({ route }) => route === 'gateway')
  expect(fetched).toHaveLength(5)
})

it('a priority asset overtakes a backlog', async () => {
  const bench = await benchOfTest({ faults: { rules: [{ route: 'gateway', fault: 'slow', ms: 300 }] } })
  await bench.registerMany(8, 'backlog')
  const daemon = await bench.startHere({ ATTESTD_ANALYZE_CONCURRENCY: '1' }).ready()
  await bench.until('a first score', () => bench.sandbox.scores().length > 0)
  const urgent = await bench.register('backlog', { turnaround: 'priority_5min' })
  const queued = () => daemon.metric('attestd_assets_total', 'how="enqueued"')
  await bench.until('the urgent one in the queue', async () => (await queued()) === 9)
  const ahead = bench.sandbox.scores().length
  await bench.expectExactlyOneEach()
  const order = bench.sandbox.world.scores.attempts().map(({ assetId }) => assetId)
  // One may be under way and one may be queued for submission by then.
  expect(order.indexOf(urgent.id)).toBeLessThanOrEqual(ahead + 2)
  expect(order.indexOf(urgent.id)).toBeLessThan(order.length - 1)
  expect(await daemon.metric('attestd_missed_total')).toBe(0)
})

it('a stream that is cut, silent or full of garbage delays nothing', async () => {
  // Each ends its connection but the last, which stays.
  const faults = ['silence', 'retry-0', 'status-503', 'reset', 'cut', 'garbage'] as const
  const rules = faults.map((fault, nth) => ({ route: 'stream' as const, fault, attempts: [nth + 1] }))
  const bench = await benchOfTest({ faults: { rules }, heartbeatMs: 300 })
  await bench.registerMany(2, 'stream')
  const daemon = bench.startHere({ ATTESTD_STREAM_IDLE_MS: '1000' })
  await daemon.serving()
  const malformed = () => daemon.metric('attestd_malformed_total', 'what="event"')
  await bench.until('garbage that was counted', async () => (await malformed()) > 0)
  await bench.registerMany(2, 'stream')
  await bench.expectExactlyOneEach()
  await daemon.ready()
  expect(await daemon.metric('attestd_stream_reconnects_total')).toBeGreaterThanOrEqual(faults.length - 1)
  expect(await daemon.metric('attestd_stream_reconnects_total', 'reason="stream-silent"')).toBeGreaterThan(0)
})

import { describe, expect, it, onTestFinished } from 'vitest'
import { openQueueEngine } from '../../src/queue/engine.js'
import { engineOptions } from '../queue/queue-support.js'
import { benchOfTest } from '../support/bench-of-test.js'
import { submitJobData } from '../support/pipeline-parts.js'
import { findRedisServer } from '../support/redis-server.js'

const secret = (of: string) => ({ ATTESTD_FLEET_SECRET: of.repeat(16) })

describe.skipIf(findRedisServer() === null)('daemons with a fleet secret', () => {
  it('sign no score and follow no order that another program wrote to Redis, and otherwise work as before', async () => {
    const bench = await benchOfTest()
    const redis = await bench.redis()
    const start = (name: string, roles: string, of: string) =>
      bench.start(
        { ATTESTD_QUEUE_URL: redis.url, ATTESTD_ROLES: roles, ATTESTD_DETECTORS: 'tiny-image', ...secret(of) },
        name,
      )
    const sender = await start('sender', 'intake,submit', 'ours').ready()

    const writer = await openQueueEngine(engineOptions(redis.url, bench.folder, { prefix: 'attestd' }))
    onTestFinished(() => writer.close())
    const { id } = await bench.register('forged')
    const forged = submitJobData({})
    await writer.add(
      'submit',
      id,
      { ...forged, asset: { ...forged.asset, id }, verdict: { ...forged.verdict, risk: 100 } },
      { priority: 1 },
    )
    await bench.until('a refusal', async () => (await sender.metric('attestd_forged_total', 'what="job"')) > 0)
    expect(sender.log.find(({ reason }) => reason === 'fleet-code-wrong')).toBeDefined()
    expect(bench.sandbox.scores()).toEqual([])

    const analyzer = await start('analyzer', 'analyze', 'ours').ready()
    const order = { id: 'theirs', chosen: 'text-alone', before: [], settings: ['tiny-image'] }
    await writer.fleet.setOrder(JSON.stringify(order))
    await bench.until('a refusal', async () => (await analyzer.metric('attestd_forged_total', 'what="order"')) > 0)
    await bench.expectExactlyOneEach()
    expect(analyzer.log.map(({ msg }) => msg)).not.toContain('reload of detectors failed')
    expect(bench.sandbox.scores().every(({ deepfakeRiskScore }) => deepfakeRiskScore !== 100)).toBe(true)

    await start('odd', 'analyze', 'othr').ready()
    await bench.until('a word about the odd one', () =>
      sender.log.some(({ reason, daemons }) => reason === 'fleet-secret-differs' && String(daemons).includes(',')),
    )
    expect((await sender.get('/')).text).toContain('ATTESTD_FLEET_SECRET differs')
  })
})

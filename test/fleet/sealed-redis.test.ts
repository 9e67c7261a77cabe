import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { FleetSeal } from '../../src/fleet/fleet-seal.js'
import { MAX_CARD_BYTES } from '../../src/fleet/fleet-store.js'
import { openQueueEngine } from '../../src/queue/engine.js'
import type { QueueEngineOptions } from '../../src/queue/engine-options.js'
import type { QueueEngine, RunningWorker } from '../../src/queue/queues.js'
import { EventLog, engineOptions } from '../queue/queue-support.js'
import { findRedisServer, type RedisServer, startRedisServer } from '../support/redis-server.js'

const SECRET = 'a secret of the fleet, long enough'

describe.skipIf(findRedisServer() === null)('a fleet with a secret, on Redis', () => {
  let server: RedisServer
  let engine: QueueEngine
  let stranger: QueueEngine
  const forged: string[] = []
  const open = (more: Partial<QueueEngineOptions>) => openQueueEngine(engineOptions(server.url, '', more))

  beforeAll(async () => {
    server = await startRedisServer()
    engine = await open({ seal: new FleetSeal(SECRET), onForged: (what) => void forged.push(what) })
    stranger = await open({})
  })

  afterAll(async () => {
    await engine?.close()
    await stranger?.close()
    await server?.stop()
  })

  /** Runs what waits; stopped with the test. */
  async function work(by: QueueEngine) {
    const events = new EventLog()
    const ran: unknown[] = []
    const worker: RunningWorker = await by.work(
      'submit',
      async ({ id }) => {
        ran.push(id)
        return { kind: 'done', result: null }
      },
      events,
    )
    onTestFinished(async () => void (await worker.stop(5000)))
    return { events, ran }
  }

  it('runs no job that it did not write, removes it, and accepts the honest one of the same id', async () => {
    await stranger.add('submit', 'forged', { asset: 'x', risk: 100 }, { priority: 1 })
    const other = await open({ seal: new FleetSeal(`${SECRET} of others`) })
    onTestFinished(() => other.close())
    await other.add('submit', 'of-others', { asset: 'y', risk: 100 }, { priority: 1 })
    const { events, ran } = await work(engine)
    await events.until('failed', ({ reason, final }) => reason === 'fleet-code-wrong' && final, 2)
    expect(await engine.failed('submit', 10)).toEqual([])
    expect(await engine.add('submit', 'forged', { asset: 'x', risk: 1 }, { priority: 1 })).toEqual({ added: true })
    await events.until('completed')
    expect(ran).toEqual(['forged'])
    expect(forged).toEqual(['job', 'job'])
  })

  it('runs no job of its own that was moved to another asset or queue', async () => {
    await engine.add('submit', 'mine', { risk: 100 }, { priority: 1 })
    await engine.add('analyze-image', 'theirs', { risk: 100 }, { priority: 1 })
    for (const [queue, id] of [
      ['submit', 'mine'],
      ['analyze-image', 'theirs'],
    ] as const) {
      const { data } = (await engine.find(queue, id))!
      await stranger.add('submit', `copy-of-${id}`, data, { priority: 1 })
    }
    const { events, ran } = await work(engine)
    await events.until('failed', ({ reason }) => reason === 'fleet-code-wrong', 2)
    await events.until('completed')
    expect(ran).toEqual(['mine'])
  })

  it('keeps the code of a job that is saved on the way', async () => {
    let runs = 0
    const events = new EventLog()
    const worker = await engine.work<{ step: number }, null>(
      'submit',
      async ({ data, save }) => {
        runs += 1
        if (data.step === 1) return { kind: 'done', result: null }
        await save({ step: 1 })
        return { kind: 'hold', reason: 'stake-low', delayMs: 1 }
      },
      events,
    )
    onTestFinished(async () => void (await worker.stop(5000)))
    await engine.add('submit', 'steps', { step: 0 }, { priority: 1 })
    await events.until('completed')
    expect(runs).toBe(2)
  })

  it('accepts no verdict and no order of others, and its own from any of its daemons', async () => {
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    forged.length = 0
    await engine.texts!.set('key', '{"risk":0.1}', 60_000)
    expect(JSON.parse((await engine.texts!.get('key'))!)).toMatchObject({ risk: 0.1 })
    await redis.copy('attestd-test:text:key', 'attestd-test:text:other')
    await stranger.texts!.set('third', '{"risk":1}', 60_000)
    expect([await engine.texts!.get('other'), await engine.texts!.get('third')]).toEqual([null, null])

    await engine.fleet.setOrder('{"chosen":"a"}')
    expect(JSON.parse((await engine.fleet.order())!)).toMatchObject({ chosen: 'a' })
    await stranger.fleet.setOrder('{"chosen":"text alone"}')
    for (let look = 0; look < 3; look++) expect(await engine.fleet.order()).toBeNull()
    expect(forged).toEqual(['verdict', 'verdict', 'order'])
  })

  it('without one accepts everything, as before', async () => {
    await stranger.add('submit', 'plain', { risk: 100 }, { priority: 1 })
    const { events, ran } = await work(stranger)
    await events.until('completed')
    expect(ran).toEqual(['plain'])
  })

  it('skips an announcement that is too long, unread', async () => {
    await engine.fleet.announce('short', '{}')
    await stranger.fleet.announce('long', ' '.repeat(MAX_CARD_BYTES + 1))
    expect((await engine.fleet.announced()).map(({ id }) => id)).toEqual(['short'])
  })
})

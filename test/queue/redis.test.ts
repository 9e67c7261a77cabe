import dns from 'node:dns'
import path from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { VerdictStore, verdictName } from '../../src/pipeline/verdict-store.js'
import { openQueueEngine } from '../../src/queue/engine.js'
import type { QueueEngineOptions } from '../../src/queue/engine-options.js'
import type { QueueEngine } from '../../src/queue/queues.js'
import { checkRedis } from '../../src/queue/redis/redis-checks.js'
import { KeptLog } from '../support/kept-log.js'
import { storableDetection } from '../support/pipeline-parts.js'
import { findRedisServer, type RedisServer, startRedisServer } from '../support/redis-server.js'
import { TcpProxy } from '../support/tcp-proxy.js'
import { folderForTest } from '../support/temporary-folder.js'
import { engineContract } from './engine-contract.js'
import { fleetContract } from './fleet-contract.js'
import { kindsContract } from './kinds-contract.js'
import { deferred, EngineProcess, EventLog, engineOptions } from './queue-support.js'
import { replaceContract } from './replace-contract.js'

const SHOWN = { shape: 'single', shown: 'shown' } as const
const available = findRedisServer() !== null

const STORED_KEY = {
  contentHash: '0xab',
  detectorDigest: 'd1',
  mediaType: 'image',
  platform: 'test',
  expectedShare: 0.5,
} as const
const STORED = storableDetection()

describe.skipIf(!available)('Redis engine (needs redis-server on the path or in REDIS_SERVER)', () => {
  let server: RedisServer
  let engine: QueueEngine
  const reported = new EventLog()

  beforeAll(async () => {
    server = await startRedisServer()
    engine = await openQueueEngine(engineOptions(`${server.url}/1`, '', { onTrouble: reported.trouble }))
  })

  afterAll(async () => {
    await engine?.close()
    await server?.stop()
  })

  engineContract(() => engine, reported)
  fleetContract(() => engine)
  kindsContract(() => engine)
  replaceContract(() => engine)

  it('knows for an hour a run that ended without notice, on every engine of the prefix and on no other', async () => {
    const redis = new Redis(`${server.url}/1`)
    const times = 'attestd-test:fleet:seen'
    await engine.fleet.announce('lost', 'text')
    await redis.zincrby(times, -3_590_000, 'lost')
    const other = await openQueueEngine(engineOptions(`${server.url}/1`, ''))
    const apart = await openQueueEngine(engineOptions(`${server.url}/1`, '', { prefix: 'another' }))
    const found = (await other.fleet.announced()).find(({ id }) => id === 'lost')
    expect(Math.floor(found!.agoMs / 10_000)).toBe(359)
    expect(await apart.fleet.announced()).toEqual([])
    await redis.zincrby(times, -20_000, 'lost')
    await other.fleet.announce('alive', 'text')
    expect((await engine.fleet.announced()).map(({ id }) => id)).not.toContain('lost')
    expect(await redis.hkeys('attestd-test:fleet:daemons')).not.toContain('lost')
    redis.disconnect()
    await Promise.all([other.close(), apart.close()])
  })

  it('lets exactly one of two processes add an id', async () => {
    const other = await openQueueEngine(engineOptions(`${server.url}/1`, ''))
    const adds = Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? other : engine).add('analyze-image', 'two-processes', { n }, { priority: 1 }),
    )
    expect((await Promise.all(adds)).filter((end) => end.added)).toHaveLength(1)
    await engine.drain('analyze-image')
    await other.close()
  })

  it('finds a verdict of another daemon, of the same prefix only', async () => {
    const [other, elsewhere] = await Promise.all([
      openQueueEngine(engineOptions(`${server.url}/1`, '')),
      openQueueEngine(engineOptions(`${server.url}/1`, '', { prefix: 'elsewhere' })),
    ])
    const folder = await folderForTest()
    const store = (name: string, { texts }: QueueEngine) => new VerdictStore(path.join(folder, name), texts)
    await store('a', engine).put(STORED_KEY, STORED)
    expect(await store('b', other).get(STORED_KEY)).toEqual(STORED)
    expect(await store('c', elsewhere).get(STORED_KEY)).toBeNull()
    await other.texts?.set(verdictName(STORED_KEY), '{"risk":2}', 60_000)
    expect(await store('b', other).get(STORED_KEY)).toBeNull()
    expect(await store('a', engine).get(STORED_KEY)).toEqual(STORED)
    await Promise.all([other.close(), elsewhere.close()])
  })

  it('separates deployments with other prefixes and other databases', async () => {
    const prefixed = await openQueueEngine(engineOptions(`${server.url}/1`, '', { prefix: 'elsewhere' }))
    const database = await openQueueEngine(engineOptions(`${server.url}/2`, ''))
    await engine.add('analyze-image', 'mine', {}, { priority: 1 })
    expect((await prefixed.counts('analyze-image')).waiting).toBe(0)
    expect((await database.counts('analyze-image')).waiting).toBe(0)
    await engine.drain('analyze-image')
    await prefixed.close()
    await database.close()
  })

  it('saves into the keys of BullMQ, and into no others', async () => {
    const redis = new Redis(`${server.url}/1`)
    const base = 'attestd-test:submit'
    const keys = async () => (await redis.keys(`${base}:layout*`)).toSorted()
    const seen = deferred<unknown>()
    const worker = await engine.work(
      'submit',
      async (run) => {
        const before = await keys()
        await redis.sadd(`${base}:stalled`, run.id)
        await run.save({ saved: 'ü' })
        const stalled = await redis.sismember(`${base}:stalled`, run.id)
        seen.resolve({ before, after: await keys(), data: await redis.hget(`${base}:${run.id}`, 'data'), stalled })
        return { kind: 'done', result: null }
      },
      {},
    )
    await engine.add('submit', 'layout', { old: true }, { priority: 1 })
    const both = [`${base}:layout`, `${base}:layout:lock`]
    expect(await seen.promise).toEqual({ before: both, after: both, data: '{"saved":"ü"}', stalled: 0 })
    await worker.stop(5000)
    redis.disconnect()
  })

  it('takes over the job of a killed process, with its saved data', async () => {
    await engine.add('analyze-image', 'orphan', { asset: 'a' }, { priority: 1 })
    const child = new EngineProcess({ url: `${server.url}/1`, dataDir: '', lockMs: 1000, mode: 'save' })
    try {
      await child.line('holding orphan')
    } finally {
      await child.kill9()
    }
    const events = new EventLog()
    const heir = await openQueueEngine(engineOptions(`${server.url}/1`, '', { lockMs: 1000 }))
    await heir.work('analyze-image', async (run) => ({ kind: 'done', result: run.data }), events)
    const [done] = await events.until('completed')
    expect(done).toMatchObject({ id: 'orphan', attempt: 1, result: { asset: 'a', step: 'sent' } })
    expect(events.of('stalled')).toEqual([{ queue: 'analyze-image', id: 'orphan' }])
    await heir.close()
  })
})

/** A Redis for one test, a client of it, and an engine on it. @param more options of the engine @param user in its URL */
async function ownRedis(more: Partial<QueueEngineOptions> = {}, user = '') {
  const server = await startRedisServer()
  const admin = new Redis(server.url, { lazyConnect: true })
  if (user !== '') await admin.acl('SETUSER', 'me', 'on', '>word', '~*', '&*', '+@all')
  const engine = await openQueueEngine(engineOptions(server.url.replace('//', `//${user}`), '', more))
  onTestFinished(async () => {
    admin.disconnect()
    await engine.close()
    await server.stop()
  })
  return { server, admin, engine }
}

describe.skipIf(!available)('Redis engine through the death of Redis', () => {
  it('reports it, fails pings, and continues when Redis is back', async () => {
    const events = new EventLog()
    const { engine, server } = await ownRedis({ lockMs: 1000, onTrouble: events.trouble })
    for (let i = 0; i < 20; i++) await engine.add('analyze-image', `before-${i}`, { i }, { priority: 1 })
    const held = deferred()
    const release = deferred()
    await engine.work(
      'submit',
      async (run) => {
        held.resolve()
        if (!run.signal.aborted) await release.promise
        return { kind: 'done', result: null }
      },
      events,
    )
    await engine.add('submit', 'in-flight', {}, { priority: 1 })
    await held.promise

    await server.kill9()
    await events.until('trouble', (event) => event.reason === 'queue-unreachable')
    await expect(engine.ping()).rejects.toMatchObject({ reason: 'queue-unreachable' })
    const addedMeanwhile = engine.add('analyze-image', 'meanwhile', {}, { priority: 1 })
    await server.restart()
    release.resolve()

    await expect(addedMeanwhile).resolves.toEqual({ added: true })
    await events.until('completed', (event) => event.id === 'in-flight')
    const later = new EventLog()
    await engine.work('analyze-image', async () => ({ kind: 'done', result: null }), later)
    const done = await later.until('completed', () => true, 21)
    expect(new Set(done.map((event) => event.id)).size).toBe(21)
    await expect(engine.ping()).resolves.toBeUndefined()
  })

  it('fails pings with the reason why Redis rejects us, until it accepts us', async () => {
    const { admin, engine } = await ownRedis({}, 'me:word@')
    const worker = await engine.work('submit', async () => ({ kind: 'done', result: null }), {})
    await admin.acl('SETUSER', 'me', 'resetpass', '>another')
    await admin.client('KILL', 'USER', 'me')
    const reasonOfPing = () => engine.ping().catch(({ reason }) => reason)
    await expect.poll(reasonOfPing).toBe('queue-unauthorized')
    // With nothing to end, no worker takes its time to stop: either its connections close, or it is left behind.
    await worker.stop(86_400_000)
    await admin.acl('SETUSER', 'me', '>word')
    await expect.poll(reasonOfPing).toBeUndefined()
  })

  it('fails pings while Redis may drop jobs, as after a failover to one with other settings', async () => {
    const { admin, engine } = await ownRedis()
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(engine.ping()).rejects.toMatchObject({ reason: 'queue-misconfigured' })
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    await expect(engine.ping()).resolves.toBeUndefined()
  })

  it('fails pings while Redis refuses writes, with the fix, and continues when it accepts them', async () => {
    const { admin, engine } = await ownRedis()
    await admin.config('SET', 'maxmemory', '1')
    await expect(engine.ping()).rejects.toMatchObject({
      reason: 'queue-unreachable',
      message: expect.stringContaining('OOM'),
      fix: expect.stringContaining('raise its maxmemory'),
    })
    await admin.config('SET', 'maxmemory', '0')
    await expect(engine.ping()).resolves.toBeUndefined()
  })

  it('states what Redis answers to a new connection before it closes it, as with too many clients', async () => {
    const { admin, engine } = await ownRedis({})
    await admin.config('SET', 'maxclients', '1')
    await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    const answer = () => engine.ping().catch((error: unknown) => error)
    await expect.poll(answer).toMatchObject({
      reason: 'queue-unreachable',
      message: expect.stringContaining('max number of clients reached'),
      fix: expect.stringContaining('maxclients'),
    })
    await admin.config('SET', 'maxclients', '100')
    await expect.poll(answer).toBeUndefined()
  })

  it('changes nothing with a save that waited for Redis while another worker took the job over', async () => {
    const { admin, engine: heir, server } = await ownRedis({ lockMs: 1000 })
    const line = await TcpProxy.to(server.port)
    const robbedEvents = new EventLog()
    const own = { lockMs: 1000, onTrouble: robbedEvents.trouble }
    const robbed = await openQueueEngine(engineOptions(`redis://127.0.0.1:${line.port}`, '', own))
    onTestFinished(async () => {
      await robbed.close()
      await line.cut()
    })
    const late = deferred<unknown>()
    const saved = deferred()
    const release = deferred()
    const events = new EventLog()
    await robbed.work(
      'submit',
      async ({ save }) => {
        await line.cut()
        await save({ owner: 'robbed' }).catch((error: unknown) => late.resolve(error))
        return { kind: 'done', result: null }
      },
      {},
    )
    await heir.add('submit', 'contested', { owner: 'nobody' }, { priority: 1 })
    expect(await late.promise).toMatchObject({ reason: 'job-lock-lost' })
    await heir.work(
      'submit',
      async ({ save }) => {
        await save({ owner: 'heir' })
        saved.resolve()
        await release.promise
        return { kind: 'done', result: null }
      },
      events,
    )
    await saved.promise
    await line.join()
    // The refusal of what the robbed worker sent after the save, on the same connection.
    await robbedEvents.until('trouble', (event) => event.reason === 'job-lock-lost')
    const data = await admin.hget('attestd-test:submit:contested', 'data')
    expect(JSON.parse(data ?? '')).toEqual({ owner: 'heir' })
    release.resolve()
    const [done] = await events.until('completed')
    expect(done).toMatchObject({ id: 'contested', data: { owner: 'heir' } })
  })

  it('aborts runs that outlive their lock during the outage, and stops and closes all the same', async () => {
    const { engine, server } = await ownRedis({ lockMs: 1000 })
    const aborted = deferred<unknown>()
    const started = deferred()
    const worker = await engine.work(
      'analyze-image',
      async ({ signal, save }) => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason))
        started.resolve()
        await aborted.promise
        await save({ late: true })
        return { kind: 'done', result: null }
      },
      {},
    )
    await engine.add('analyze-image', 'cut-off', {}, { priority: 1 })
    await started.promise
    await server.kill9()
    expect(await aborted.promise).toMatchObject({ reason: 'job-lock-lost' })
    expect(await worker.stop(0)).toEqual({ drained: false })
  })
})

describe.skipIf(!available)('Redis engine at start', () => {
  async function withServer(args: readonly string[], test: (server: RedisServer) => Promise<void>): Promise<void> {
    const server = await startRedisServer({ appendonly: false, args })
    try {
      await test(server)
    } finally {
      await server.stop()
    }
  }

  it('takes the password from the URL and never shows it', () =>
    withServer(['--requirepass', 'hunter2hunter2'], async ({ port }) => {
      const log = new KeptLog()
      const open = (password: string) =>
        openQueueEngine(engineOptions(`redis://:${password}@127.0.0.1:${port}/0`, '', { log }))
      const opened = await open('hunter2hunter2')
      await opened.ping()
      await opened.close()
      const failure = await open('wrong-secret').catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(AttestdError)
      expect(failure).toMatchObject({ reason: 'queue-unauthorized', message: expect.stringMatching(/127\.0\.0\.1/) })
      expect((failure as AttestdError).fix).toMatch(/ATTESTD_QUEUE_PASSWORD/)
      const byFile = await openQueueEngine(
        engineOptions(`redis://127.0.0.1:${port}`, '', { redis: { password: 'hunter2hunter2' } }),
      )
      await byFile.close()
      expect(`${(failure as Error).message} ${log.text}`).not.toMatch(/hunter2|wrong-secret/)
    }))

  it('continues with a warning where CONFIG and the policy are hidden, and warns without an append-only file', () =>
    withServer([], async ({ url }) => {
      const log = new KeptLog()
      const redis = new Redis(url)
      await redis.acl('SETUSER', 'limited', 'on', '>pw', '~*', '&*', '+@all', '-config')
      await redis.quit()
      const limited = new Redis(url.replace('redis://', 'redis://limited:pw@'))
      const full = await limited.info()
      const hidden = Object.create(limited, {
        info: { value: async () => full.replace(/maxmemory_policy:.*/, '') },
      }) as Redis
      await expect(checkRedis(hidden, SHOWN, log)).resolves.toBeUndefined()
      limited.disconnect()
      expect(log.text).toMatch(/noeviction/)
      expect(log.text).toMatch(/append-only/)
    }))

  it('waits for a Redis that starts later', async () => {
    const server = await startRedisServer()
    await server.kill9()
    const opening = openQueueEngine(engineOptions(server.url, '', { startWaitMs: 60_000 }))
    await server.restart()
    const engine = await opening
    await expect(engine.ping()).resolves.toBeUndefined()
    await engine.close()
    await server.stop()
  })
})

describe('Redis engine without Redis', () => {
  it('gives up after the limit, by name, without the password', async () => {
    const opening = openQueueEngine(engineOptions('redis://:secret-pw@127.0.0.1:1/0', '', { startWaitMs: 300 }))
    const failure = await opening.catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'queue-unreachable', message: expect.stringMatching(/127\.0\.0\.1:1/) })
    expect(JSON.stringify([(failure as Error).message, String((failure as Error).cause)])).not.toMatch(/secret-pw/)
  })

  it('states a fix for a host without an address', async () => {
    const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND no-such-host.invalid'), { code: 'ENOTFOUND' })
    const answer = ((_: string, __: unknown, found: (error: Error) => void) => found(unknown)) as never
    // The name servers of this machine may take longer than a try.
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(answer)
    onTestFinished(() => lookup.mockRestore())
    const opening = openQueueEngine(engineOptions('redis://no-such-host.invalid/0', '', { startWaitMs: 0 }))
    await expect(opening).rejects.toMatchObject({
      reason: 'queue-unreachable',
      message: expect.stringContaining('ENOTFOUND'),
      fix: expect.stringContaining('name servers'),
    })
  })
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AttestdError } from '../../src/core/errors.js'
import { openQueueEngine } from '../../src/queue/engine.js'
import type { QueueEngineOptions } from '../../src/queue/engine-options.js'
import type { Processor, QueueEngine } from '../../src/queue/queues.js'
import { type Certificates, makeCertificates } from '../support/certificates.js'
import { startCluster } from '../support/redis-cluster.js'
import { askRedis, failOver, lookUntil, type RedisGroup, replicasOf } from '../support/redis-failover.js'
import { SENTINEL_PASSWORDS, startSentinels } from '../support/redis-sentinels.js'
import { findRedisServer, type RedisServer, startRedisServer } from '../support/redis-server.js'
import { withReason } from '../support/with-reason.js'
import { engineContract } from './engine-contract.js'
import { deferred, EventLog, engineOptions } from './queue-support.js'

const available = findRedisServer() !== null

const SHAPES = [
  { shape: 'Sentinel', start: startSentinels, redis: { sentinelPassword: SENTINEL_PASSWORDS.sentinel } },
  { shape: 'cluster', start: () => startCluster('attestd-test'), redis: {} },
]

describe.skipIf(!available).each(SHAPES)('Redis engine on a $shape', ({ start, redis }) => {
  let group: RedisGroup
  let engine: QueueEngine
  const reported = new EventLog()

  beforeAll(async () => {
    group = await start()
    engine = await openQueueEngine(engineOptions(group.url, '', { redis, onTrouble: reported.trouble }))
  })

  afterAll(async () => {
    await engine?.close()
    await group?.stop()
  })

  engineContract(() => engine, reported)

  it('continues after a failover with every job, and reports the lost connection', async () => {
    const jobs = 30
    for (let n = 0; n < jobs; n++) await engine.add('analyze-image', `over-${n}`, { n }, { priority: 1 })
    const worker = await engine.work('submit', async () => ({ kind: 'done', result: null }), {})
    await failOver(group)
    await reported.until('trouble', (event) => event.reason === 'queue-unreachable')
    await lookUntil('an answer', async () => engine.ping().then(() => true))
    const done = new EventLog()
    const later = await engine.work('analyze-image', async () => ({ kind: 'done', result: null }), done)
    await done.until('completed', () => true, jobs)
    expect(new Set(done.of('completed').map(({ id }) => id)).size).toBe(jobs)
    await worker.stop(5000)
    await later.stop(5000)
  })
})

describe.skipIf(!available)('a cluster with a dead part', () => {
  it('is opened all the same, and refused where a primary may drop jobs', async () => {
    const group = await startCluster('attestd-test')
    const open = () => openQueueEngine(engineOptions(group.url, ''))
    onTestFinished(() => group.stop())
    const roles = await Promise.all(
      group.servers.map(({ port }) => askRedis(port, (redis) => redis.info('replication'))),
    )
    const ours = await group.primaryPort()
    const others = group.servers.filter(({ port }, nth) => roles[nth]!.includes('role:master') && port !== ours)
    const [dead, careless] = others
    for (const server of [...(await replicasOf(dead!.port, group)), dead!]) await server.kill9()
    const engine = await open()
    expect(await engine.add('analyze-image', 'one', {}, { priority: 1 })).toEqual({ added: true })
    await engine.close()
    await askRedis(careless!.port, (redis) => redis.config('SET', 'maxmemory-policy', 'allkeys-lru'))
    await expect(open()).rejects.toMatchObject({ reason: 'queue-misconfigured' })
  })
})

describe.skipIf(!available)('data saved before a submission', () => {
  it('is on the replica before the run continues, so that a failover does not undo it', async () => {
    const primary = await startRedisServer()
    const replica = await startRedisServer({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
    const engine = await openQueueEngine(engineOptions(primary.url, ''))
    onTestFinished(async () => {
      await engine.close()
      await primary.stop()
      await replica.stop()
    })
    await lookUntil('a replica in step', () =>
      askRedis(primary.port, async (redis) => (await redis.info('replication')).includes('state=online')),
    )
    const started = deferred()
    const frozen = deferred()
    const saved = deferred()
    let isSaved = false
    await engine.work(
      'submit',
      async ({ save }) => {
        started.resolve()
        await frozen.promise
        await save({ attempt: 1 })
        isSaved = true
        saved.resolve()
        return { kind: 'done', result: null }
      },
      {},
    )
    await engine.add('submit', 'careful', {}, { priority: 1 })
    await started.promise
    replica.freeze()
    frozen.resolve()
    const data = (port: number) => askRedis(port, (redis) => redis.hget('attestd-test:submit:careful', 'data'))
    await lookUntil('the save on the primary', async () => (await data(primary.port)) === '{"attempt":1}')
    // Far more round trips than a save takes.
    for (let n = 0; n < 50; n++) await engine.ping()
    expect(isSaved).toBe(false)
    replica.thaw()
    await saved.promise
    expect(await data(replica.port)).toBe('{"attempt":1}')
  })
})

describe.skipIf(!available)('Redis with TLS and a private authority', () => {
  let folder: string
  let files: Certificates
  let server: RedisServer
  let stranger: Certificates

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'attestd-tls-'))
    files = makeCertificates(folder)
    stranger = makeCertificates(mkdtempSync(path.join(folder, 'other-')))
    server = await startRedisServer({ tls: files })
  })

  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const open = (url: string, redis: QueueEngineOptions['redis'] = {}) =>
    openQueueEngine(engineOptions(url, '', { redis, startWaitMs: 20_000 }))
  const all = () => ({ caFile: files.ca, certFile: files.cert, keyFile: files.key })

  it('is used with the authority and a client certificate, by address and by name', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const engine = await open(`rediss://${host}:${server.port}`, all())
      expect(await engine.add('analyze-image', host, {}, { priority: 1 })).toEqual({ added: true })
      await engine.close()
    }
  })

  it('is refused at once, with the right reason, where something does not match', async () => {
    const refused = (url: string, redis: QueueEngineOptions['redis'], reason: string, message = /./) =>
      expect(open(url, redis), `${url} ${JSON.stringify(redis)}`).rejects.toThrow(withReason(reason, message))
    await refused(server.url, {}, 'queue-certificate-refused', /self-signed/)
    await refused(server.url, { caFile: stranger.ca }, 'queue-certificate-refused')
    await refused(server.url, { caFile: files.ca }, 'queue-certificate-refused', /asks for a certificate/)
    await refused(server.url, { ...all(), certFile: stranger.cert, keyFile: stranger.key }, 'queue-certificate-refused')
    await refused(server.url.replace('rediss', 'redis'), {}, 'queue-tls-mismatch', /speaks TLS/)
    await refused(server.url.replace('rediss', 'redis+cluster'), {}, 'queue-tls-mismatch', /speaks TLS/)
    await refused(server.url, { caFile: path.join(folder, 'none.pem') }, 'setting-invalid', /ATTESTD_QUEUE_TLS_CA/)
    await refused(server.url, { caFile: import.meta.filename }, 'setting-invalid', /not a PEM file/)
  })

  it('is distinguished from a plain port', async () => {
    const plain = await startRedisServer()
    const opening = open(plain.url.replace('redis', 'rediss'), all())
    await expect(opening).rejects.toThrow(withReason('queue-tls-mismatch', /does not speak TLS/))
    await plain.stop()
  })
})

/** Adds, works, saves, fails, lists, counts and drains; closes the engine. */
async function useQueue(engine: QueueEngine): Promise<void> {
  const events = new EventLog()
  await engine.add('analyze-image', 'waits', {}, { priority: 1 })
  await engine.add('submit', 'runs', {}, { priority: 1 })
  await engine.add('submit', 'fails', {}, { priority: 1 })
  const work: Processor<unknown, null> = async ({ id, save }) => {
    await save({ saved: true })
    if (id === 'fails') throw new AttestdError('score-conflict')
    return { kind: 'done', result: null }
  }
  const worker = await engine.work('submit', work, events)
  await events.until('completed')
  await events.until('failed')
  expect(await engine.counts('analyze-image')).toMatchObject({ waiting: 1 })
  expect(await engine.drain('analyze-image')).toBe(1)
  expect(await engine.failed('submit', 10)).toMatchObject([{ id: 'fails' }])
  await engine.claims.take('content', 'one', 1000)
  await engine.claims.release('content', 'one')
  await engine.fleet.announce('one', '{}')
  await engine.fleet.leave('one')
  await worker.stop(5000)
  await engine.close()
}

describe.skipIf(!available)('a user with the rights in docs/redis.md', () => {
  it('adds, works, saves, lists and drains', async () => {
    const [, rights = ''] =
      /`ACL SETUSER attestd on >PASSWORD ([^`]+)`/.exec(readFileSync('docs/redis.md', 'utf8')) ?? []
    const server = await startRedisServer()
    await askRedis(server.port, (redis) => redis.acl('SETUSER', 'attestd', 'on', '>pass-word', ...rights.split(' ')))
    const url = server.url.replace('//', '//attestd@')
    const options = engineOptions(url, '', { prefix: 'attestd', redis: { password: 'pass-word' } })
    const engine = await openQueueEngine(options)
    await useQueue(engine)
    await expect(openQueueEngine({ ...options, prefix: 'other' })).rejects.toMatchObject({
      reason: 'queue-unauthorized',
    })
    await server.stop()
  })
})

describe.skipIf(!available)('a user without a right that the queue needs', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedisServer()
  })
  afterAll(() => server?.stop())

  it('is refused at the start, whichever of the commands it is that a queue used', async () => {
    const url = server.url.replace('//', '//some:word@')
    const options = engineOptions(url, '')
    const without = async (right: string) => {
      await askRedis(server.port, (redis) => redis.acl('SETUSER', 'some', 'on', '>word', '~*', '&*', '+@all', right))
      return openQueueEngine(options)
    }
    await useQueue(await without('+@all'))
    const stats = await askRedis(server.port, (redis) => redis.info('commandstats'))
    const used = [...stats.matchAll(/^cmdstat_(\w+):/gm)].map(([, command]) => command!)
    expect(used).toContain('hgetall')
    const taken: string[] = []
    for (const command of [...used, 'wait']) {
      const engine = await without(`-${command}`).catch((error) => void expect(error.reason).toBe('queue-unauthorized'))
      if (engine) taken.push(command)
      await engine?.close()
    }
    // Connections begin with it, and go on without it.
    expect(taken).toEqual(['hello'])
  })
})

describe.skipIf(!available)('a URL that does not match the server', () => {
  it.each([
    ['redis', '/99', 'has no database 99'],
    ['redis+cluster', '', 'is not a node of a cluster'],
    ['redis+sentinel', '/mymaster', 'is not a Sentinel'],
  ])('%s://HOST%s is refused at once: Redis %s', async (scheme, rest, message) => {
    const server = await startRedisServer()
    const opening = openQueueEngine(engineOptions(`${scheme}://127.0.0.1:${server.port}${rest}`, ''))
    await expect(opening).rejects.toThrow(withReason('queue-address-wrong', message))
    await server.stop()
  })

  it('of one Redis is refused by a node of a cluster', async () => {
    const server = await startRedisServer({ args: ['--cluster-enabled', 'yes', '--cluster-port', '0'] })
    await expect(openQueueEngine(engineOptions(server.url, ''))).rejects.toThrow(
      withReason('queue-address-wrong', /redis\+cluster:/),
    )
    await server.stop()
  })
})

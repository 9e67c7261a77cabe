import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkRedis } from '../../../src/queue/redis/redis-checks.js'
import { KeptLog } from '../../support/kept-log.js'
import { type RespAnswer, RespServer } from './resp-server.js'

interface Facts {
  /** Lines of INFO beside the usual ones; null: INFO does not have it. */
  info?: Record<string, string | null>
  /** Answer to CONFIG GET maxmemory-policy. */
  config?: RespAnswer
}

/** What the check says of a Redis that states these facts, and the warnings that it logs. */
async function check({ info = {}, config = new Error('NOPERM') }: Facts, shape: 'single' | 'sentinel' = 'single') {
  const facts = {
    redis_version: '7.2.4',
    redis_mode: 'standalone',
    maxmemory_policy: 'noeviction',
    aof_enabled: '1',
    ...info,
  }
  const lines = Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [`${name}:${value}`]))
  const server = await RespServer.start(([name]) => {
    if (name === 'INFO') return ['# Server', ...lines, ''].join('\r\n')
    return name === 'CONFIG' ? config : '+OK'
  })
  const redis = new Redis({ port: server.port, host: '127.0.0.1', lazyConnect: true, enableReadyCheck: false })
  onTestFinished(() => server.stop())
  onTestFinished(() => redis.disconnect())
  await redis.connect()
  const log = new KeptLog()
  const error = await checkRedis(redis, { shape, shown: 'redis://r' }, log).catch((thrown: unknown) => thrown)
  return {
    error: error as { reason: string; message: string } | undefined,
    warnings: log.messages,
    commands: server.commands,
  }
}

describe('the version of Redis', () => {
  it.each(['6.2', '6.2.0', '6.10.1', '7.0.0', '8.0.0-rc1', '10.0.0'])('%s is new enough', async (redis_version) => {
    expect((await check({ info: { redis_version } })).error).toBeUndefined()
  })

  it.each(['6.1.9', '6.0', '5.9.9', '2.8.24', 'unknown'])('%s is not', async (redis_version) => {
    expect((await check({ info: { redis_version } })).error).toMatchObject({
      reason: 'queue-misconfigured',
      message: `Redis at redis://r is version ${redis_version}; 6.2 or later is needed.`,
    })
  })
})

describe('the mode of Redis', () => {
  it.each([
    ['sentinel', /redis\+sentinel:\/\//],
    ['cluster', /redis\+cluster:\/\//],
  ])('%s is refused with how the URL should name it', async (redis_mode, message) => {
    expect((await check({ info: { redis_mode } })).error).toMatchObject({
      reason: 'queue-address-wrong',
      message: expect.stringMatching(message),
    })
    expect((await check({ info: { redis_mode } }, 'sentinel')).error).toBeUndefined()
  })

  it('replica is refused where no Sentinel names the primary, and retried', async () => {
    const replica = { role: 'slave' }
    expect((await check({ info: replica })).error).toMatchObject({
      reason: 'queue-unreachable',
      message: 'Redis at redis://r is a replica, which refuses writes.',
    })
    expect((await check({ info: replica }, 'sentinel')).error).toBeUndefined()
  })

  it('is read from the output of Valkey too', async () => {
    const valkey = { redis_mode: null, server_mode: 'cluster' }
    expect((await check({ info: valkey })).error).toMatchObject({ reason: 'queue-address-wrong' })
    const old = { redis_version: null, valkey_version: '6.1.0' }
    expect((await check({ info: old })).error).toMatchObject({ reason: 'queue-misconfigured' })
    expect((await check({ info: { ...old, valkey_version: '8.0.1' } })).error).toBeUndefined()
  })
})

describe('an eviction policy', () => {
  it.each(['allkeys-lru', 'volatile-ttl', 'allkeys-random'])('of %s is refused', async (policy) => {
    const refusal = { reason: 'queue-misconfigured', message: expect.stringContaining(`maxmemory-policy ${policy}`) }
    expect((await check({ info: { maxmemory_policy: policy } })).error).toMatchObject(refusal)
  })

  it('is read from CONFIG where INFO does not state it, and only there', async () => {
    const info = { maxmemory_policy: null }
    expect((await check({})).commands.some(([name]) => name === 'CONFIG')).toBe(false)
    expect(await check({ info, config: ['maxmemory-policy', 'noeviction'] })).toMatchObject({
      error: undefined,
      warnings: [],
    })
    const evicting = await check({ info, config: ['maxmemory-policy', 'allkeys-lfu'] })
    expect(evicting.error).toMatchObject({
      reason: 'queue-misconfigured',
      message: expect.stringMatching(/allkeys-lfu/),
    })
  })

  it.each([
    ['forbidden, as managed services do', new Error('NOPERM this user has no permissions')],
    ['empty', []],
  ])('is only warned of where the answer is %s', async (_, config) => {
    const { error, warnings } = await check({ info: { maxmemory_policy: null }, config })
    expect([error, warnings]).toEqual([undefined, [expect.stringContaining('noeviction')]])
  })
})

it('warnings says that no append-only file is kept, and is silent where one is', async () => {
  expect((await check({ info: { aof_enabled: '0' } })).warnings).toEqual([expect.stringContaining('append-only')])
  expect((await check({})).warnings).toEqual([])
})

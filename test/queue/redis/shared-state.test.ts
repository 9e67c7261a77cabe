import { Redis } from 'ioredis'
import { afterEach, describe, expect, it } from 'vitest'
import type { HeldJob } from '../../../src/queue/backing.js'
import { redisFleet } from '../../../src/queue/fleet/redis-fleet.js'
import { saveInRedis } from '../../../src/queue/redis/save-data.js'
import { redisClaims } from '../../../src/queue/redis/shared.js'
import { type RespAnswer, RespServer } from './resp-server.js'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

async function connected(answer: (command: string[]) => RespAnswer) {
  const server = await RespServer.start((command) => (command[0] === 'CLIENT' ? '+OK' : answer(command)))
  const redis = new Redis({
    port: server.port,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    protocol: 2,
  })
  open.push(
    () => server.stop(),
    () => redis.disconnect(),
  )
  await redis.connect()
  const commands = () => server.commands.filter(([name]) => name === 'EVAL' || name === 'WAIT')
  return { commands, redis }
}

describe('data that is saved during a run', () => {
  const JOB: HeldJob = { queue: 'submit', prefix: 'p', id: 'a:1', token: 'mine', lockMs: 30_000 }
  /** Answers in their order: those of EVAL are how many replicas are in step, those of WAIT how many have the data. */
  const inTurn = (answers: Record<string, RespAnswer[]>) => (command: string[]) =>
    answers[command[0] ?? '']?.shift() ?? 0

  it('is written into the keys of the job, with the token that must hold its lock', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [0] }))
    expect(await saveInRedis(redis, JOB, '{"x":1}')).toBe(true)
    const [[, , ...given] = [], ...others] = commands()
    expect(others).toEqual([])
    expect(given).toEqual([
      '3',
      'p:submit:a:1',
      'p:submit:a:1:lock',
      'p:submit:stalled',
      'mine',
      '30000',
      '{"x":1}',
      'a:1',
    ])
  })

  it('is not saved where the lock is not held, and nobody is waited for then', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [-1] }))
    expect(await saveInRedis(redis, JOB, '{}')).toBe(false)
    expect(commands().map(([name]) => name)).toEqual(['EVAL'])
  })

  it('is saved once every replica that is in step has it', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [2, 2], WAIT: [2] }))
    expect(await saveInRedis(redis, JOB, '{}')).toBe(true)
    expect(commands().map(([name, ...rest]) => (name === 'WAIT' ? [name, ...rest] : [name]))).toEqual([
      ['EVAL'],
      ['EVAL'],
      ['WAIT', '2', '500'],
    ])
  })

  it('waits on while one of them lacks it, and for fewer once it was dropped', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [2, 2, 1, 1], WAIT: [1, 1] }))
    expect(await saveInRedis(redis, JOB, '{}')).toBe(true)
    expect(commands().flatMap(([name, replicas]) => (name === 'WAIT' ? [replicas] : []))).toEqual(['2', '1'])
  })

  it('is not saved where the lock was lost while it waited', async () => {
    const { redis } = await connected(inTurn({ EVAL: [1, 1, -1], WAIT: [0] }))
    expect(await saveInRedis(redis, JOB, '{}')).toBe(false)
  })

  it('fails where Redis refuses, at either step', async () => {
    const first = await connected(inTurn({ EVAL: [new Error('OOM command not allowed')] }))
    await expect(saveInRedis(first.redis, JOB, '{}')).rejects.toThrow('OOM')
    const second = await connected(inTurn({ EVAL: [1, 1], WAIT: [new Error('ERR WAIT cannot be used')] }))
    await expect(saveInRedis(second.redis, JOB, '{}')).rejects.toThrow('WAIT cannot be used')
  })
})

describe('claims', () => {
  it.each([
    [1, true],
    [0, false],
  ])('are taken where Redis answers %i: %s', async (answer, isTaken) => {
    const { commands, redis } = await connected(() => answer)
    expect(await redisClaims(redis).take('key', 'me', 500)).toBe(isTaken)
    expect(commands()[0]?.slice(2)).toEqual(['1', 'key', 'me', '500'])
  })
})

describe('the fleet', () => {
  it('reads who announced itself, under keys of its prefix', async () => {
    const { commands, redis } = await connected(() => [
      ['run-1', '{"text":1}', 1500],
      ['run-2', 'other', 0],
    ])
    expect(await redisFleet(redis, 'p').announced()).toEqual([
      { id: 'run-1', text: '{"text":1}', agoMs: 1500 },
      { id: 'run-2', text: 'other', agoMs: 0 },
    ])
    expect(commands()[0]?.slice(2)).toEqual(['2', 'p:fleet:daemons', 'p:fleet:seen'])
  })

  it('is queue-unreachable at once while the connection is away, instead of waiting for it', async () => {
    const { redis } = await connected(() => [])
    redis.disconnect()
    const fleet = redisFleet(redis, 'p')
    const asks = [
      fleet.announced(),
      fleet.order(),
      fleet.recent(1),
      fleet.append('x'),
      fleet.announce('a', 'b'),
      fleet.leave('a'),
    ]
    for (const ask of asks) await expect(ask).rejects.toMatchObject({ reason: 'queue-unreachable' })
  })

  it('names a refusal of Redis', async () => {
    const { redis } = await connected(() => new Error('NOPERM this user has no permissions'))
    await expect(redisFleet(redis, 'p').announced()).rejects.toMatchObject({ reason: 'queue-unauthorized' })
  })
})

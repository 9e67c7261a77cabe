import { describe, expect, it } from 'vitest'
import type { HeldJob } from '../../../src/queue/backing.js'
import { saveInRedis } from '../../../src/queue/redis/save-data.js'
import { connected } from './connected-redis.js'
import type { RespAnswer } from './resp-server.js'

describe('data that is saved during a run', () => {
  const JOB: HeldJob = { queue: 'submit', prefix: 'p', id: 'a:1', token: 'mine', lockMs: 30_000 }
  const believed = async () => false
  /** Answers in their order: those of EVAL are how many replicas are in step, those of WAIT how many have the data. */
  const inTurn = (answers: Record<string, RespAnswer[]>) => (command: string[]) =>
    answers[command[0] ?? '']?.shift() ?? 0

  it('is written into the keys of the job, with the token that must hold its lock', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [0] }))
    expect(await saveInRedis(redis, believed, JOB, '{"x":1}')).toBe(true)
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

  it('is not saved without the lock, and no replica is waited for then', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [-1] }))
    expect(await saveInRedis(redis, believed, JOB, '{}')).toBe(false)
    expect(commands().map(([name]) => name)).toEqual(['EVAL'])
  })

  it('is saved once every replica in step has it', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [2, 2], WAIT: [2] }))
    expect(await saveInRedis(redis, believed, JOB, '{}')).toBe(true)
    expect(commands().map(([name, ...rest]) => (name === 'WAIT' ? [name, ...rest] : [name]))).toEqual([
      ['EVAL'],
      ['EVAL'],
      ['WAIT', '2', '500'],
    ])
  })

  it('waits while one of them lacks it, and for fewer once it was dropped', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [2, 2, 1, 1], WAIT: [1, 1] }))
    expect(await saveInRedis(redis, believed, JOB, '{}')).toBe(true)
    expect(commands().flatMap(([name, replicas]) => (name === 'WAIT' ? [replicas] : []))).toEqual(['2', '1'])
  })

  it('is not saved where the lock was lost while it waited', async () => {
    const { redis } = await connected(inTurn({ EVAL: [1, 1, -1], WAIT: [0] }))
    expect(await saveInRedis(redis, believed, JOB, '{}')).toBe(false)
  })

  it('is not saved with a primary on probation until a replica has it', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [0, 0, 1, 1], WAIT: [1] }))
    expect(await saveInRedis(redis, async () => true, JOB, '{}')).toBe(true)
    expect(commands().map(([name]) => name)).toEqual(['EVAL', 'EVAL', 'EVAL', 'EVAL', 'WAIT'])
  })

  it('is saved with a primary alone after its probation', async () => {
    const { commands, redis } = await connected(inTurn({ EVAL: [0, 0] }))
    const doubts = [true, false]
    expect(await saveInRedis(redis, async () => doubts.shift()!, JOB, '{}')).toBe(true)
    expect(commands().map(([name]) => name)).toEqual(['EVAL', 'EVAL'])
  })

  it('fails where Redis refuses, at either step', async () => {
    const first = await connected(inTurn({ EVAL: [new Error('OOM command not allowed')] }))
    await expect(saveInRedis(first.redis, believed, JOB, '{}')).rejects.toThrow('OOM')
    const second = await connected(inTurn({ EVAL: [1, 1], WAIT: [new Error('ERR WAIT cannot be used')] }))
    await expect(saveInRedis(second.redis, believed, JOB, '{}')).rejects.toThrow('WAIT cannot be used')
  })
})

import { describe, expect, it } from 'vitest'
import { controlOf } from '../../../src/app/daemon/control.js'
import type { FailedJob, QueueEngine, QueueName } from '../../../src/queue/queues.js'
import { settle } from '../../support/manual-clock.js'

describe('the queue verbs of a daemon', () => {
  const job = (queue: QueueName, nth: number, data: unknown = { asset: { id: `asset ${nth}` } }): FailedJob => ({
    queue,
    id: `${queue}-${nth}`,
    reason: 'media-corrupt',
    message: 'm',
    attempts: 1,
    failedAt: nth,
    data,
  })

  /** Two queues of which one can be paused. */
  function newControl() {
    const calls: string[] = []
    const paused = new Set<QueueName>()
    const engine: Partial<QueueEngine> = {
      failed: async (queue, limit) => [job(queue, 1), job(queue, 2, { asset: 7 })].slice(0, limit),
      retry: async (queue, ids) => {
        calls.push(`retry ${queue} ${ids?.join() ?? 'all'}`)
        return ids?.length ?? 10
      },
      drain: async (queue) => {
        calls.push(`drain ${queue}`)
        return 5
      },
      pause: async (queue) => {
        await settle()
        paused.add(queue)
      },
      resume: async (queue) => {
        await settle()
        paused.delete(queue)
      },
      isPaused: async (queue) => paused.has(queue),
    }
    return { calls, control: controlOf(engine as QueueEngine) }
  }

  it('list failed jobs of both queues without their data, so many in all', async () => {
    const { control } = newControl()
    expect(await control.failed({ limit: 3 })).toEqual([
      {
        queue: 'analyze',
        id: 'analyze-1',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 1,
        assetId: 'asset 1',
      },
      {
        queue: 'analyze',
        id: 'analyze-2',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 2,
        assetId: null,
      },
      expect.objectContaining({ id: 'submit-1' }),
    ])
    expect((await control.failed({ queue: 'submit', limit: 9 })).map(({ id }) => id)).toEqual(['submit-1', 'submit-2'])
  })

  it('retry and drain one queue or both, and count all', async () => {
    const { calls, control } = newControl()
    expect(await control.retry({})).toBe(20)
    expect(await control.retry({ queue: 'submit', ids: ['a', 'b'] })).toBe(2)
    expect(await control.drain({ queue: 'analyze' })).toBe(5)
    expect(await control.drain({})).toBe(10)
    expect(calls).toEqual([
      'retry analyze all',
      'retry submit all',
      'retry submit a,b',
      'drain analyze',
      'drain analyze',
      'drain submit',
    ])
  })

  it('pause and resume say what is paused from then on', async () => {
    const { control } = newControl()
    expect(await control.pause({ queue: 'submit' })).toEqual(['submit'])
    expect(await control.pause({})).toEqual(['analyze', 'submit'])
    expect(await control.resume({ queue: 'submit' })).toEqual(['analyze'])
    expect(await control.resume({})).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { controlOf } from '../../../src/app/daemon/control.js'
import {
  ANALYZE_QUEUES,
  type FailedJob,
  QUEUE_NAMES,
  type QueueEngine,
  type QueueName,
} from '../../../src/queue/queues.js'
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

  it('list a limited number of failed jobs of all queues, without their data', async () => {
    const { control } = newControl()
    expect(await control.failed({ limit: 3 })).toEqual([
      {
        queue: 'analyze-image',
        id: 'analyze-image-1',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 1,
        assetId: 'asset 1',
      },
      {
        queue: 'analyze-image',
        id: 'analyze-image-2',
        reason: 'media-corrupt',
        message: 'm',
        attempts: 1,
        failedAt: 2,
        assetId: null,
      },
      expect.objectContaining({ id: 'analyze-audio-1' }),
    ])
    expect((await control.failed({ queue: 'submit', limit: 9 })).map(({ id }) => id)).toEqual(['submit-1', 'submit-2'])
  })

  it('retry and drain one queue, the queues of a stage, or all, and count the jobs', async () => {
    const { calls, control } = newControl()
    expect(await control.retry({})).toBe(70)
    expect(await control.retry({ queue: 'submit', ids: ['a', 'b'] })).toBe(2)
    expect(await control.drain({ queue: 'analyze-text' })).toBe(5)
    expect(await control.drain({ queue: 'analyze' })).toBe(30)
    expect(await control.drain({})).toBe(35)
    expect(calls).toEqual([
      ...QUEUE_NAMES.map((name) => `retry ${name} all`),
      'retry submit a,b',
      'drain analyze-text',
      ...ANALYZE_QUEUES.map((name) => `drain ${name}`),
      ...QUEUE_NAMES.map((name) => `drain ${name}`),
    ])
  })

  it('pause and resume report what is paused afterwards', async () => {
    const { control } = newControl()
    expect(await control.pause({ queue: 'submit' })).toEqual(['submit'])
    expect(await control.pause({})).toEqual(['analyze', 'submit'])
    expect(await control.resume({ queue: 'submit' })).toEqual(['analyze'])
    expect(await control.resume({ queue: 'analyze-text' })).toEqual(
      ANALYZE_QUEUES.filter((name) => name !== 'analyze-text'),
    )
    expect(await control.resume({})).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { collectDepths } from '../../../src/app/daemon/collect-gauges.js'
import { collectReview } from '../../../src/app/review/open-review.js'
import { AttestdError } from '../../../src/core/errors.js'
import { createMetrics } from '../../../src/observe/metrics/metrics.js'
import type { QueueEngine, QueueName } from '../../../src/queue/queues.js'
import { ManualClock } from '../../support/manual-clock.js'

const newMetrics = () => createMetrics({ clock: new ManualClock(), processMetrics: false })

describe('the depth of queues', () => {
  it('is stated by state, and not at all while the queue is away', async () => {
    const metrics = newMetrics()
    const counts = async () => ({ waiting: 3, active: 1, delayed: 0, failed: 2, completed: 9 })
    const depths = async () =>
      (await metrics.text()).split('\n').filter((line) => line.startsWith('attestd_queue_depth{'))
    await collectDepths({ counts, ping: async () => {} }, metrics)
    expect(await depths()).toContain('attestd_queue_depth{queue="submit",state="failed"} 2')
    expect(await depths()).toHaveLength(35)
    const asked: string[] = []
    const away = {
      ping: () => Promise.reject(new AttestdError('queue-unreachable')),
      counts: async (queue: QueueName) => {
        asked.push(queue)
        return counts()
      },
    }
    await expect(collectDepths(away, metrics)).rejects.toMatchObject({ reason: 'queue-unreachable' })
    expect([await depths(), asked]).toEqual([[], []])
  })
})

it('assets that wait for a person are counted, and not at all while the queue is away', async () => {
  const [metrics, clock] = [newMetrics(), new ManualClock()]
  const waiting = async () => (await metrics.text()).split('\n').filter((line) => line.startsWith('attestd_review_'))
  const queue = { ping: async () => {}, retrying: async () => [] } as unknown as QueueEngine
  await collectReview({ clock, metrics, queue }, { service: null })
  expect(await waiting()).toEqual(['attestd_review_jobs 0'])
  const ping = () => Promise.reject(new AttestdError('queue-unreachable'))
  await expect(collectReview({ clock, metrics, queue: { ...queue, ping } }, { service: null })).rejects.toThrow()
  expect(await waiting()).toEqual([])
})

import { expect, it } from 'vitest'
import { collectDepths } from '../../../src/app/daemon/collect-gauges.js'
import { collectReview } from '../../../src/app/review/open-review.js'
import { AttestdError } from '../../../src/core/errors.js'
import type { Metrics } from '../../../src/observe/metrics/metrics.js'
import type { QueueEngine, QueueName } from '../../../src/queue/queues.js'
import { ManualClock } from '../../support/manual-clock.js'
import { metricLines, newMetrics } from '../../support/metric-lines.js'

/** Scrapes by this collector. @returns the series that match */
function scraped(metrics: Metrics, collect: () => Promise<void>, name: RegExp): () => Promise<string[]> {
  metrics.beforeScrape(collect)
  return () => metricLines(metrics, name)
}

it('the depth of queues is reported by state, and left out while the queue is unreachable', async () => {
  const metrics = newMetrics()
  const asked: string[] = []
  let ping = async () => {}
  const counts = async (queue: QueueName) => {
    asked.push(queue)
    return { waiting: 3, active: 1, delayed: 0, failed: 2, completed: 9 }
  }
  const depths = scraped(metrics, () => collectDepths({ counts, ping }, metrics), /^attestd_queue_depth\{/)
  const there = await depths()
  expect(there).toContain('attestd_queue_depth{queue="submit",state="failed"} 2')
  expect(there).toHaveLength(35)
  ping = () => Promise.reject(new AttestdError('queue-unreachable'))
  expect(await depths()).toEqual([])
  expect(asked).toHaveLength(7)
})

it('assets that wait for a review are counted, and left out while the queue is unreachable', async () => {
  const [metrics, clock] = [newMetrics(), new ManualClock()]
  let ping = async () => {}
  const queue = { ping: () => ping(), retrying: async () => [] } as unknown as QueueEngine
  const waiting = scraped(
    metrics,
    () => collectReview({ clock, metrics, queue }, { service: null }),
    /^attestd_review_/,
  )
  expect(await waiting()).toEqual(['attestd_review_jobs 0'])
  ping = () => Promise.reject(new AttestdError('queue-unreachable'))
  expect(await waiting()).toEqual([])
})

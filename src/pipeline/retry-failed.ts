import type { Reason } from '../core/reasons.js'
import type { DetectorHost } from '../detect/detection.js'
import { ANALYZE_QUEUES, type QueueEngine } from '../queue/queues.js'
import { assetOfJob, failuresOf } from './jobs.js'
import { isNewTo, OPEN_AT_MOST_MS } from './other-detector.js'

/** Failed jobs read at a time, the newest first; the queue keeps no more. */
const FAILED_LIMIT = 10_000

/** Failures that speak of a detector as much as of the file: another detector may do better. */
const BY_DETECTOR: ReadonlySet<Reason> = new Set<Reason>([
  'detector-timeout',
  'detector-crashed',
  'detector-out-of-memory',
  'detector-failed',
])

/** Whether another detector might not fail on the same file. */
export const isByDetector = (reason: Reason): boolean => BY_DETECTOR.has(reason)

/**
 * Puts analyses back that failed by other detectors than the one in use now, or by the same one on another platform.
 * Each detector fails a file once: what failed by it is marked with its digest.
 * @param now Unix ms
 * @returns how many
 */
export async function retryForDetectors(
  queue: Pick<QueueEngine, 'failed' | 'retry'>,
  detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>,
  now: number,
): Promise<number> {
  let retried = 0
  for (const name of ANALYZE_QUEUES) {
    const failed = await queue.failed(name, FAILED_LIMIT)
    const recent = failed.filter(({ failedAt, reason }) => isByDetector(reason) && now - failedAt < OPEN_AT_MOST_MS)
    // Those that a release did not mark have no failures here.
    const others = recent.filter(({ data }) => isNewTo(failuresOf(data), assetOfJob(data)?.contentHash, detectors))
    const ids = others.map(({ id }) => id)
    if (ids.length > 0) retried += await queue.retry(name, ids)
  }
  return retried
}

import { type Reason, reasonEntry } from '../core/reasons.js'
import type { DetectorHost } from '../detect/detection.js'
import { type FailedJob, QUEUE_NAMES, type QueueEngine } from '../queue/queues.js'
import { isByOther } from './free-abstained.js'
import { assetOfJob, readFailedBy } from './jobs.js'

/** Failed jobs read at a time, the newest first; the queue keeps no more. */
const FAILED_LIMIT = 10_000
/**
 * An analysis that failed longer ago than this, ms, is not begun again: its asset has closed. Twice the 12 hours that an
 * asset is typically open (wallet-session API, verificationDeadline).
 */
const OPEN_AT_MOST_MS = 24 * 60 * 60_000

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
 * Puts failed jobs of open assets back where their reason is one that passes. Jobs fail for good over such a reason only
 * in older releases, which gave up after a number of tries.
 * @returns how many
 */
export async function retryPassed(
  queue: Pick<QueueEngine, 'failed' | 'retry'>,
  open: ReadonlySet<string>,
): Promise<number> {
  let retried = 0
  for (const name of QUEUE_NAMES) {
    const ids = (await queue.failed(name, FAILED_LIMIT)).filter((job) => isPassed(job, open)).map(({ id }) => id)
    if (ids.length > 0) retried += await queue.retry(name, ids)
  }
  return retried
}

function isPassed({ data, reason }: FailedJob, open: ReadonlySet<string>): boolean {
  return reasonEntry(reason).kind === 'retry' && open.has(assetOfJob(data)?.id ?? '')
}

/**
 * Puts analyses back that failed by another detector than the one in use now, or by the same one on another platform.
 * Each detector fails a file once: what failed by it is marked with its digest.
 * @param now Unix ms
 * @returns how many
 */
export async function retryForDetectors(
  queue: Pick<QueueEngine, 'failed' | 'retry'>,
  detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>,
  now: number,
): Promise<number> {
  const failed = await queue.failed('analyze', FAILED_LIMIT)
  const recent = failed.filter(({ failedAt, reason }) => isByDetector(reason) && now - failedAt < OPEN_AT_MOST_MS)
  const ids = recent.filter(({ data }) => failedByOther(data, detectors)).map(({ id }) => id)
  return ids.length > 0 ? await queue.retry('analyze', ids) : 0
}

function failedByOther(data: unknown, detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>): boolean {
  const by = readFailedBy(data)
  // A release that did not mark it.
  return by === null || isByOther(by, assetOfJob(data)?.contentHash, detectors)
}

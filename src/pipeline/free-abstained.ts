import type { Reason } from '../core/reasons.js'
import type { DetectorHost } from '../detect/detection.js'
import type { QueueEngine } from '../queue/queues.js'
import { type AbstainedBy, analyzeResult, assetOfJob } from './jobs.js'

/** What a detector abstains for that another one might judge, as its training and its decision band are its own. */
const BY_DETECTOR: ReadonlySet<Reason> = new Set<Reason>([
  'detector-none',
  'detector-unsure',
  'language-unsupported',
  'media-narrow-band',
  'media-too-short',
  'media-too-small',
  'media-unsupported',
  'media-without-speech',
])

/** Whether another detector might not abstain from the same file. */
export const isDetectorsOwn = (reason: Reason): boolean => BY_DETECTOR.has(reason)

/** Whether another detector than the one that abstained or failed is in use now, or the same one on another platform. */
export function isByOther(
  by: AbstainedBy,
  contentHash: string | undefined,
  detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>,
): boolean {
  const detector = detectors.detectorFor(by.mediaType, contentHash)
  return detector !== null && (detector.digest !== by.detectorDigest || detectors.platform !== by.platform)
}

/**
 * Removes what is kept of analyses that ended without a score by other detectors than those in use now. Intake offers
 * open assets again and again (`REOFFER_MS`), so those among them are analyzed as if they were new; closed ones stay away.
 * @returns ids of their assets
 */
export async function freeAbstained(
  queue: Pick<QueueEngine, 'completed' | 'remove'>,
  detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>,
): Promise<string[]> {
  const freed: string[] = []
  for await (const { id, data, result } of queue.completed('analyze')) {
    const ended = analyzeResult.safeParse(result).data
    const asset = assetOfJob(data)
    if (asset === null || ended?.outcome !== 'abstained' || !ended.by) continue
    if (!isByOther(ended.by, asset.contentHash, detectors)) continue
    if (await queue.remove('analyze', id, 'completed')) freed.push(asset.id)
  }
  return freed
}

import { z } from 'zod'
import type { Reason } from '../core/reasons.js'
import { readJson } from '../core/text.js'
import type { DetectorHost } from '../detect/detection.js'
import type { SharedTexts } from '../queue/claims.js'
import { ANALYZE_QUEUES, type AnalyzeQueue, type QueueEngine } from '../queue/queues.js'
import { analyzeResult, assetOfJob, type LookedAtBy, lookedAtBy } from './jobs.js'

/**
 * What ended without a score longer ago than this, ms, is not begun again: its asset has closed. Twice the 12 hours that an
 * asset is typically open (wallet-session API, verificationDeadline).
 */
export const OPEN_AT_MOST_MS = 24 * 60 * 60_000
/**
 * So often is a file looked at without a score before it stays without one; abstentions are forgotten after the time
 * above, failures when their job is. Daemons with different detectors would otherwise hand it to each other at every start.
 */
export const MAX_LOOKS = 8

type InUse = Pick<DetectorHost, 'detectorFor' | 'platform'>

/** Whether another detector than the one that abstained or failed is in use now, or the same one on another platform. */
export function isByOther(by: LookedAtBy, contentHash: string | undefined, detectors: InUse): boolean {
  const detector = detectors.detectorFor(by.mediaType, contentHash)
  return detector !== null && (detector.digest !== by.detectorDigest || detectors.platform !== by.platform)
}

/** Whether that holds for all that looked at a file, and these are not too many already. */
export function isNewTo(looks: readonly LookedAtBy[], contentHash: string | undefined, detectors: InUse): boolean {
  return looks.length < MAX_LOOKS && looks.every((by) => isByOther(by, contentHash, detectors))
}

/** What a detector abstains for that another one might judge, as its training and its decision band are its own. */
const BY_DETECTOR: ReadonlySet<Reason> = new Set<Reason>([
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

/** Who looked at a file without a score before the last one did, as the queue keeps it. */
const looksSchema = z.array(lookedAtBy)

/**
 * Removes what is kept of analyses that ended without a score by other detectors than those in use now. Intake offers
 * open assets again and again (`REOFFER_MS`), so those among them are analyzed as if they were new; closed ones stay away.
 * Where several processes share the queue, it keeps who looked at a file before, so that they do not hand it around.
 * @returns ids of their assets
 */
export async function freeAbstained(
  queue: Pick<QueueEngine, 'completed' | 'remove' | 'texts'>,
  detectors: Pick<DetectorHost, 'detectorFor' | 'platform'>,
): Promise<string[]> {
  const freed: string[] = []
  for (const name of ANALYZE_QUEUES) freed.push(...(await freeIn(name, queue, detectors)))
  return freed
}

async function freeIn(
  name: AnalyzeQueue,
  queue: Parameters<typeof freeAbstained>[0],
  detectors: Parameters<typeof freeAbstained>[1],
): Promise<string[]> {
  const freed: string[] = []
  for await (const { id, data, result } of queue.completed(name)) {
    const ended = analyzeResult.safeParse(result).data
    const asset = assetOfJob(data)
    if (asset === null || ended?.outcome !== 'abstained' || !ended.by) continue
    if (!isByOther(ended.by, asset.contentHash, detectors)) continue
    const looks = [ended.by, ...(await earlierLooks(queue.texts, id))]
    if (!isNewTo(looks, asset.contentHash, detectors)) continue
    await queue.texts?.set(looksKey(id), JSON.stringify(looks), OPEN_AT_MOST_MS)
    if (await queue.remove(name, id, 'completed')) freed.push(asset.id)
  }
  return freed
}

const looksKey = (id: string): string => `looked-at:${id}`

async function earlierLooks(texts: SharedTexts | null, id: string): Promise<LookedAtBy[]> {
  const text = await texts?.get(looksKey(id))
  // What another release may have written: as if nobody had looked.
  return readJson(looksSchema, text ?? '[]') ?? []
}

import type { DetectorHost } from '../detect/detection.js'
import type { LookedAtBy } from './jobs.js'

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

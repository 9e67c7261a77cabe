import { toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { MEDIA_TYPES } from '../../core/media-types.js'
import type { DetectorHost } from '../../detect/detection.js'
import type { DetectorChoice } from '../../detect/package/selection.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import type { Roles } from './roles.js'

/**
 * Reloads the detector packages of this daemon without losing a job; see `DetectorHost.reload`.
 * @returns the kinds of media that are left without a detector
 * @throws AttestdError why the old ones stayed
 */
export async function reloadDetectors(
  detectors: DetectorHost,
  roles: Pick<Roles, 'detectorsChanged'>,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
  choices?: readonly DetectorChoice[],
): Promise<{ lost: string[] }> {
  const scored = () => MEDIA_TYPES.filter((type) => detectors.detectorFor(type) !== null)
  try {
    const before = scored()
    await detectors.reload(choices)
    metrics.detectorReloads.inc({ outcome: 'done' })
    roles.detectorsChanged()
    const lost = before.filter((type) => !scored().includes(type))
    if (lost.length > 0)
      log.warn({ reason: 'detector-none', mediaTypes: lost }, 'no detector left for some media types')
    return { lost }
  } catch (error) {
    const { reason } = toAttestdError(error)
    metrics.detectorReloads.inc({ outcome: reason })
    log.error({ reason, err: error }, 'detectors were not replaced; the old ones stayed')
    throw error
  }
}

import type { DetectorHost } from '../detect/detection.js'
import { admissionCheck } from './admission-check.js'
import { openDetectors } from './open-detectors.js'
import type { DaemonParts } from './parts.js'
import { countDetectorEvent } from './room-events.js'

/**
 * Begins to verify the packages and to start the detector processes of a daemon that analyzes.
 * @param closers gets what ends them, also while they still start
 * @returns null where the roles do not analyze
 */
export function startDetectors(
  { clock, metrics, options, random }: Omit<DaemonParts, 'queue'>,
  closers: (() => Promise<unknown>)[],
): Promise<DetectorHost> | null {
  const { settings, log } = options
  if (!settings.roles.includes('analyze')) return null
  const starting = openDetectors(settings, {
    clock,
    random,
    log,
    onEvent: countDetectorEvent(metrics),
    ...admissionCheck(settings),
  })
  // Where it failed, it has closed what it had opened, and who waits for it is told why.
  closers.push(() => starting.then((detectors) => detectors.close()).catch(() => {}))
  starting.catch(() => {})
  return starting
}

import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import type { DetectorHost } from '../../detect/detection.js'
import { createDetectorHost, type DetectorHostOptions } from '../../detect/host/create-detector-host.js'
import { removeLeftPlaces } from '../../detect/host/detector-cage.js'
import type { DaemonParts } from '../parts.js'
import { unlistedLines } from '../rollout/unlisted-detectors.js'
import { admissionCheck } from './admission-check.js'
import { extraAuthorities, findFfmpeg } from './find-program.js'
import { openCage } from './open-cage.js'
import { describePlatform } from './platform.js'
import { countDetectorEvent } from './room-events.js'

/** The detector host of the settings; a verb that scores a file or two overrides `workers`. */
export async function openDetectors(settings: Settings, own: Partial<DetectorHostOptions> = {}): Promise<DetectorHost> {
  const ffmpeg = await findFfmpeg(settings)
  const { cage, gap } = await openCage(settings)
  if (cage !== null && gap !== null) own.log?.warn({ detail: gap }, 'detector processes are not caged as a whole')
  if (cage !== null) await removeLeftPlaces(cage)
  return createDetectorHost({
    modelsDir: settings.modelsDir,
    detectors: settings.detectors,
    ffmpeg,
    cage,
    remoteToken: settings.detectorToken,
    authorities: await extraAuthorities(),
    workers: settings.detectorWorkers,
    costlyShare: settings.detectorCostlyPercent / 100,
    timeoutMs: settings.detectorTimeoutMs,
    memoryMb: settings.detectorMemoryMb,
    jobsPerChild: settings.detectorJobs,
    platform: await describePlatform(ffmpeg),
    expectedShare: settings.expectedShare,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...own,
  })
}

/**
 * Begins to verify the packages and to start the detector processes of a daemon that analyzes.
 * @param closers gets what ends them, also while they still start
 * @returns null where the roles do not analyze
 */
export function startDetectors(
  { log, metrics, selection, settings }: Omit<DaemonParts, 'queue'>,
  closers: (() => Promise<unknown>)[],
): Promise<DetectorHost> | null {
  if (!settings.roles.includes('analyze')) return null
  const count = countDetectorEvent(metrics)
  const starting = openDetectors(settings, {
    detectors: selection.choices,
    log,
    onEvent: (event) => {
      count(event)
      if (event.type !== 'detectors-loaded') return
      for (const detail of unlistedLines(event.detectors)) log.warn({ detail }, 'unlisted package loaded as a shadow')
    },
    ...admissionCheck(settings),
  })
  // Where it failed, it has closed what it had opened, and whoever waits for it gets the error.
  closers.push(() => starting.then((detectors) => detectors.close()).catch(() => {}))
  starting.catch(() => {})
  return starting
}

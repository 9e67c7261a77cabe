import type { Settings } from '../config/settings.js'
import { systemClock } from '../core/clock.js'
import { silentLog } from '../core/log.js'
import type { DetectorHost } from '../detect/detection.js'
import { createDetectorHost, type DetectorHostOptions } from '../detect/host/create-detector-host.js'
import { findProgram } from './find-program.js'
import { describePlatform } from './platform.js'

/** The detector host of the settings; a verb that scores a file or two overrides `workers`. */
export async function openDetectors(settings: Settings, own: Partial<DetectorHostOptions> = {}): Promise<DetectorHost> {
  const ffmpeg = await findProgram(settings.ffmpeg)
  return createDetectorHost({
    modelsDir: settings.modelsDir,
    detectors: settings.detectors,
    ffmpeg,
    remoteToken: settings.detectorToken,
    workers: settings.detectorWorkers,
    timeoutMs: settings.detectorTimeoutMs,
    memoryMb: settings.detectorMemoryMb,
    jobsPerChild: settings.detectorJobs,
    platform: await describePlatform(ffmpeg),
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...own,
  })
}

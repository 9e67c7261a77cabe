import type { Settings } from '../../config/settings.js'
import type { MeasureSampleOptions } from '../../lab/measure/measure-sample.js'
import { findFfmpeg } from '../open/find-program.js'
import { openCage } from '../open/open-cage.js'

/** The limits of the settings, for a package's own sample in its own process. */
export async function measuringOf(
  settings: Settings,
): Promise<Pick<MeasureSampleOptions, 'cage' | 'ffmpeg' | 'remoteToken' | 'timeoutMs' | 'memoryBytes'>> {
  return {
    ffmpeg: await findFfmpeg(settings),
    cage: (await openCage(settings)).cage,
    remoteToken: settings.detectorToken ?? null,
    timeoutMs: settings.detectorTimeoutMs,
    memoryBytes: settings.detectorMemoryMb * 1024 * 1024,
  }
}

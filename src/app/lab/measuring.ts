import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import type { Measuring } from '../../lab/measure/measure-sample.js'
import { extraAuthorities, findFfmpeg } from '../open/find-program.js'
import { openCage } from '../open/open-cage.js'

/** The limits of the settings, for a package's own sample in its own process. */
export async function measuringOf(settings: Settings, signal: AbortSignal): Promise<Measuring> {
  return {
    ffmpeg: await findFfmpeg(settings),
    cage: (await openCage(settings)).cage,
    remoteToken: settings.detectorToken ?? null,
    authorities: await extraAuthorities(),
    timeoutMs: settings.detectorTimeoutMs,
    memoryBytes: settings.detectorMemoryMb * 1024 * 1024,
    clock: systemClock,
    signal,
  }
}

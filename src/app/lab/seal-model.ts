import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { sealPackage } from '../../lab/import/seal-package.js'
import { measuringOf } from './measuring.js'

/** See `sealPackage`. @param folder absolute path */
export async function sealModel(settings: Settings, folder: string, version: string | null, signal: AbortSignal) {
  const measuring = { ...(await measuringOf(settings)), signal }
  return sealPackage(folder, { version, clock: systemClock, measuring })
}

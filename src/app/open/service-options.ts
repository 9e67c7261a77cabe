import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { VERSION } from '../../core/version.js'
import type { ServiceOptions } from '../../service/service-parts.js'

/** What the settings state for a client of either API, without the daemon's clock, log and counting. */
export const serviceOptionsOf = (settings: Settings): ServiceOptions => ({
  serviceUrl: settings.serviceUrl!,
  timestampWindowMs: settings.timestampWindowMs,
  clockRefreshMs: settings.clockRefreshMs,
  requestTimeoutMs: settings.serviceTimeoutMs,
  streamIdleMs: settings.streamIdleMs,
  userAgent: `attestd/${VERSION}`,
  clock: systemClock,
  random: Math.random,
  log: silentLog,
})

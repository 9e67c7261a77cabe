import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { VERSION } from '../../core/version.js'
import {
  createSignedKeyService,
  type SignedKeyOptions,
  type SignedKeyService,
} from '../../service/signed-key/attester-service.js'

/** A signed-key service by the settings, without the daemon's counting; keys may be absent for public routes. */
export function openSignedKey(settings: Settings, own: Partial<SignedKeyOptions> = {}): SignedKeyService {
  const { accessKey, signingSecret } = settings
  return createSignedKeyService({
    serviceUrl: settings.serviceUrl!,
    allowInsecure: settings.serviceAllowHttp,
    accessKey,
    signingSecret,
    headerPrefix: settings.headerPrefix,
    timestampWindowMs: settings.timestampWindowMs,
    clockRefreshMs: settings.clockRefreshMs,
    requestTimeoutMs: settings.serviceTimeoutMs,
    streamIdleMs: settings.streamIdleMs,
    userAgent: `attestd/${VERSION}`,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...own,
  })
}

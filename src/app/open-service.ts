import { VERSION } from '../core/version.js'
import type { AttesterService } from '../service/port.js'
import type { ServiceClock } from '../service/service-clock.js'
import { createSignedKeyService } from '../service/signed-key/attester-service.js'
import type { DaemonParts } from './parts.js'

/** The service behind the port, with its clock. */
export interface OpenService {
  readonly service: AttesterService
  readonly clock: ServiceClock
  close(): Promise<void>
}

/** Picks the adapter that `service.api` names. @throws AttestdError setting-invalid */
export function openService({
  clock,
  metrics,
  options,
  random,
}: Omit<DaemonParts, 'queue' | 'report' | 'paths' | 'activity'>): OpenService {
  const { settings, log } = options
  return createSignedKeyService({
    serviceUrl: settings.serviceUrl!,
    allowInsecure: settings.serviceAllowHttp,
    accessKey: settings.accessKey!,
    signingSecret: settings.signingSecret!,
    headerPrefix: settings.headerPrefix,
    timestampWindowMs: settings.timestampWindowMs,
    requestTimeoutMs: settings.serviceTimeoutMs,
    streamIdleMs: settings.streamIdleMs,
    clockRefreshMs: settings.clockRefreshMs,
    userAgent: `attestd/${VERSION}`,
    clock,
    random,
    log,
    onRequest: ({ route, status, reason, elapsedMs }) => {
      metrics.serviceRequests.inc({ route, status: String(status ?? reason) })
      metrics.serviceSeconds.observe({ route }, elapsedMs / 1000)
    },
    onMalformed: ({ what, id, message }) => {
      const reason = what === 'asset' ? 'asset-malformed' : 'service-reply-invalid'
      metrics.malformed.inc({ what, reason })
      log.warn({ what, asset: id, reason, detail: message }, 'left out what was malformed')
    },
    onClock: ({ offsetMs, errorBoundMs, trusted }) => {
      if (offsetMs !== null) metrics.clockOffset.set({}, offsetMs / 1000)
      if (errorBoundMs !== null) metrics.clockErrorBound.set({}, errorBoundMs / 1000)
      metrics.clockTrusted.set({}, trusted ? 1 : 0)
    },
  })
}

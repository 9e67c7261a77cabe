import type { Settings } from '../config/settings.js'
import { systemClock } from '../core/clock.js'
import { silentLog } from '../core/log.js'
import { VERSION } from '../core/version.js'
import type { AttesterService } from '../service/port.js'
import type { ServiceClock } from '../service/service-clock.js'
import {
  createSignedKeyService,
  type SignedKeyOptions,
  type SignedKeyService,
} from '../service/signed-key/attester-service.js'
import type { DaemonParts } from './parts.js'

/** The service behind the port, with its clock. */
export interface OpenService {
  readonly service: AttesterService
  readonly clock: ServiceClock
  close(): Promise<void>
}

type ServiceParts = Pick<DaemonParts, 'clock' | 'metrics' | 'options' | 'outages' | 'random'>

/** The service client of the settings, without the daemon's counting; secrets may be absent for public routes. */
export function openClient(settings: Settings, own: Partial<SignedKeyOptions> = {}): SignedKeyService {
  const { accessKey, signingSecret } = settings
  return createSignedKeyService({
    serviceUrl: settings.serviceUrl!,
    allowInsecure: settings.serviceAllowHttp,
    ...(accessKey === undefined ? {} : { accessKey }),
    ...(signingSecret === undefined ? {} : { signingSecret }),
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

/** The service behind the port as the daemon uses it, counted and logged. @throws AttestdError setting-invalid */
export function openService({ clock, metrics, options, outages, random }: ServiceParts): OpenService {
  const { settings, log } = options
  return openClient(settings, {
    clock,
    random,
    log,
    onRequest: ({ route, status, reason, elapsedMs }) => {
      metrics.serviceRequests.inc({ route, status: String(status ?? reason) })
      metrics.serviceSeconds.observe({ route }, elapsedMs / 1000)
    },
    onMalformed: ({ what, id, message: detail }) => {
      const reason = what === 'asset' ? 'asset-malformed' : 'service-reply-invalid'
      metrics.malformed.inc({ what, reason })
      // Once a minute for each asset: every list and snapshot brings it again.
      outages.trouble({ reason, subject: id ?? what, message: 'left out what was malformed', facts: { what, detail } })
    },
    onClock: ({ offsetMs, errorBoundMs, trusted }) => {
      if (offsetMs !== null) metrics.clockOffset.set({}, offsetMs / 1000)
      if (errorBoundMs !== null) metrics.clockErrorBound.set({}, errorBoundMs / 1000)
      metrics.clockTrusted.set({}, trusted ? 1 : 0)
    },
  })
}

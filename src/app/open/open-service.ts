import type { Address } from 'viem'
import type { RequestEvent } from '../../service/http.js'
import type { AttesterService } from '../../service/port.js'
import type { OnMalformed } from '../../service/record.js'
import type { ServiceClock } from '../../service/service-clock.js'
import type { WalletSessionOptions } from '../../service/wallet-session/create-wallet-session-service.js'
import type { DaemonParts } from '../parts.js'
import { openSignedKey } from './open-signed-key.js'

export interface OpenService {
  readonly service: AttesterService
  readonly clock: ServiceClock
  /** The attester's wallet, where this process holds it. */
  readonly address?: Address
  close(): Promise<void>
}

type ServiceParts = Pick<DaemonParts, 'clock' | 'log' | 'metrics' | 'outages' | 'settings' | 'signer'>

/**
 * The service of the settings behind the port, counted and logged, whichever API it speaks.
 * @param role of the wallet of a wallet-session service
 * @throws AttestdError setting-invalid
 */
export async function openService(
  parts: ServiceParts,
  role: Pick<WalletSessionOptions, 'confirmRole' | 'onRoleMissing'>,
): Promise<OpenService> {
  const { clock, log, metrics, settings } = parts
  const watched = { clock, log, ...countedBy(parts) }
  if (settings.serviceApi === 'signed-key') return clocked(openSignedKey(settings, watched), metrics)
  // The chain is read for the API that needs it: its libraries take a third of a second.
  const { openWalletSession } = await import('./open-wallet-session.js')
  const signer = parts.signer!
  const opened = openWalletSession(settings, {
    ...watched,
    signer,
    role: 'attester',
    ...role,
    onSession: ({ event }) => metrics.sessions.inc({ event }),
    onSignature: ({ wallet, outcome, elapsedMs }) => {
      metrics.signatures.inc({ wallet, outcome })
      metrics.signatureSeconds.observe({ wallet }, elapsedMs / 1000)
    },
  })
  return clocked({ ...opened, address: signer.address }, metrics)
}

/** Malformed parts that are logged a minute, of answers and of events each; the metric counts all. */
const MALFORMED_LINES = 5

/** What both clients report, as metrics and throttled log lines. */
function countedBy({ metrics, outages }: ServiceParts) {
  const onRequest = ({ route, status, reason, elapsedMs }: RequestEvent) => {
    metrics.serviceRequests.inc({ route, status: String(status ?? reason) })
    metrics.serviceSeconds.observe({ route }, elapsedMs / 1000)
  }
  const onMalformed: OnMalformed = ({ what, source, id, message: detail }) => {
    const reason = what === 'asset' ? 'asset-malformed' : 'service-reply-invalid'
    metrics.malformed.inc({ what, reason })
    // A few as examples, whatever their ids: every list and snapshot contains them again, and a hostile one contains others.
    outages.trouble({
      reason,
      subject: source,
      linesPerMinute: MALFORMED_LINES,
      message: 'malformed data was skipped',
      facts: { what, asset: id ?? undefined, detail },
    })
  }
  return { onRequest, onMalformed }
}

/** The clock is read at each scrape, as readiness reads it: between two measurements its bound grows, and a clock may be set. */
function clocked(opened: OpenService, metrics: ServiceParts['metrics']): OpenService {
  metrics.beforeScrape(() => {
    const { errorBoundMs, offsetMs, trusted } = opened.clock.state()
    if (offsetMs !== null) metrics.clockOffset.set({}, offsetMs / 1000)
    if (errorBoundMs !== null) metrics.clockErrorBound.set({}, errorBoundMs / 1000)
    metrics.clockTrusted.set({}, trusted ? 1 : 0)
  })
  return opened
}

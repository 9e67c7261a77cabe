import { shortDigest } from '../../core/text.js'
import type { LoadedDetector } from '../../detect/detection.js'
import type { DetectorEvent } from '../../detect/detector-events.js'
import type { MediaEvent } from '../../media/media-event.js'
import type { Metrics } from '../../observe/metrics/metrics.js'

export function countDetectorEvent(metrics: Metrics): (event: DetectorEvent) => void {
  return (event) => {
    if (event.type === 'child-stopped' && event.cause !== 'closed')
      metrics.detectorRestarts.inc({ reason: event.cause })
    if (event.type === 'child-start-failed') metrics.detectorRestarts.inc({ reason: event.reason })
    if (event.type === 'detectors-loaded') {
      for (const one of event.before) metrics.detectorInfo.set(infoLabels(one), 0)
      for (const one of event.detectors) metrics.detectorInfo.set(infoLabels(one), 1)
    }
  }
}

function infoLabels({ id, version, digest, ...part }: LoadedDetector) {
  return { detector: id, version, digest: shortDigest(digest), part: partLabel(part) }
}

/** What a detector does for the scores, as a label of metrics. */
export function partLabel({ canary, shadow }: { canary?: number | undefined; shadow: boolean }): string {
  if (canary !== undefined) return 'canary'
  return shadow ? 'shadow' : 'scores'
}

export function countMediaEvent(metrics: Metrics): (event: MediaEvent) => void {
  return (event) => {
    if (event.type === 'gateway') metrics.gatewayRequests.inc({ gateway: event.gateway, outcome: event.outcome })
    if (event.type === 'cache') {
      metrics.mediaFetches.inc({ origin: 'cache', outcome: event.outcome })
      if (event.outcome === 'hit') metrics.mediaBytes.inc({ origin: 'cache' }, event.bytes)
    }
    if (event.type === 'put-off') {
      const outcome = event.reason === 'media-too-slow' ? 'too-slow' : 'busy'
      metrics.mediaFetches.inc({ origin: event.scheme, outcome })
    }
    if (event.type === 'pool') {
      for (const state of ['first', 'later', 'connections'] as const) metrics.mediaFetching.set({ state }, event[state])
    }
    if (event.type !== 'fetched') return
    metrics.mediaFetches.inc({ origin: event.scheme, outcome: 'ok' })
    metrics.mediaFetchSeconds.observe({ origin: event.scheme }, event.ms / 1000)
    metrics.mediaBytes.inc({ origin: event.scheme }, event.bytes)
  }
}

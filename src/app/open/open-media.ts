import type { Settings } from '../../config/settings.js'
import { systemClock } from '../../core/clock.js'
import { silentLog } from '../../core/log.js'
import { createMediaSource, type MediaSourceOptions } from '../../media/create-media-source.js'
import type { MediaSource } from '../../media/media-source.js'

/** The media source of the settings, with its cache in `cacheDir`. */
export function openMedia(
  settings: Settings,
  own: Partial<MediaSourceOptions> & { readonly cacheDir: string },
): Promise<MediaSource> {
  return createMediaSource({
    gateways: settings.ipfsGateways,
    hedgeMs: settings.gatewayHedgeMs,
    maxBytes: settings.mediaMaxBytes,
    timeoutMs: settings.mediaTimeoutMs,
    connections: settings.fetchConnections,
    inFlightBytes: settings.fetchBytes,
    maxRedirects: settings.mediaMaxRedirects,
    cacheBytes: settings.mediaCacheBytes,
    contentHash: settings.contentHash,
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...own,
  })
}

import type { Clock, Random } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { MediaCache } from './cache/media-cache.js'
import { FetchPool } from './fetch-pool.js'
import { createGatewayHttp, parseGateway } from './ipfs/gateway.js'
import { GatewayHealth } from './ipfs/gateway-health.js'
import type { OnMediaEvent } from './media-event.js'
import type { ContentHashAlgorithm, MediaSource } from './media-source.js'
import { SharedMediaSource } from './shared-media-source.js'
import { type AddressGuardOptions, CONNECT_TIMEOUT_MS, createAddressGuard } from './web/address-guard.js'

/** What the room needs; `app/open/open-media.ts` fills it in from the settings. */
export interface MediaSourceOptions extends Omit<AddressGuardOptions, 'connectTimeoutMs'> {
  /** Trustless gateways in order of preference, `https://HOST[/PREFIX]` or `http://…`; credentials in them are sent as basic auth. */
  readonly gateways: readonly string[]
  /** Silence after which the next gateway is asked as well, milliseconds. */
  readonly hedgeMs: number
  readonly maxBytes: number
  /** Longest time for one fetch in all, milliseconds. */
  readonly timeoutMs: number
  /** Connections of all fetches together; see `FetchPoolOptions`. */
  readonly connections: number
  /** Bytes of unfinished fetches above which the larger ones pause. */
  readonly inFlightBytes: number
  /** Longest silence of one connection, milliseconds. @default 15000 */
  readonly idleMs?: number
  readonly maxRedirects: number
  readonly cacheDir: string
  readonly cacheBytes: number
  readonly contentHash: ContentHashAlgorithm
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onEvent?: OnMediaEvent
}

const DEFAULT_IDLE_MS = 15_000

/** Builds the room: gateways, address guard and cache behind the port. @throws AttestdError setting-invalid, media-cache-failed */
export async function createMediaSource(options: MediaSourceOptions): Promise<MediaSource> {
  const { clock, contentHash: algorithm, idleMs = DEFAULT_IDLE_MS, log, onEvent = () => {} } = options
  const guard = createAddressGuard(options)
  const http = createGatewayHttp({ ...options, idleMs, guard, connectTimeoutMs: CONNECT_TIMEOUT_MS })
  const health = new GatewayHealth(options.gateways.map(parseGateway), clock, options.random)
  const cached = { folder: options.cacheDir, maxBytes: options.cacheBytes }
  const cache = await MediaCache.open({ ...cached, algorithm, clock, log, onEvent })
  const pool = new FetchPool({
    connections: options.connections,
    bytes: options.inFlightBytes,
    clock,
    onChange: (use) => onEvent({ type: 'pool', ...use }),
  })
  return new SharedMediaSource({
    ...options,
    algorithm,
    idleMs,
    onEvent,
    cache,
    pool,
    guard,
    http,
    health,
    disconnect: async () => {
      await Promise.all([http.close(), guard.dispatcher.destroy()])
    },
  })
}

import type { Clock, Random } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { MediaCache } from './cache/media-cache.js'
import { FetchPool } from './fetch-pool.js'
import { createGatewayHttp, parseGateway } from './ipfs/gateway.js'
import { GatewayHealth } from './ipfs/gateway-health.js'
import type { OnMediaEvent } from './media-event.js'
import type { ContentHashAlgorithm, MediaSource } from './media-source.js'
import { SharedMediaSource } from './shared-media-source.js'
import { type AddressGuardOptions, createAddressGuard } from './web/address-guard.js'

/** What the room needs; `app/open/open-media.ts` fills it in from the settings. */
export interface MediaSourceOptions extends AddressGuardOptions {
  /** Trustless gateways in order of preference, `https://HOST[/PREFIX]` or `http://…`; credentials in them are sent as basic auth. */
  readonly gateways: readonly string[]
  /** Silence after which the next gateway is asked as well, milliseconds. @default 1500 */
  readonly hedgeMs?: number
  readonly maxBytes: number
  /** Longest time for one fetch in all, milliseconds. */
  readonly timeoutMs: number
  /** Connections of all fetches together; see `FetchPoolOptions`. @default 64 */
  readonly connections?: number
  /** Bytes of unfinished fetches above which the larger ones pause. @default 512 MiB */
  readonly inFlightBytes?: number
  /** Longest silence of one connection, milliseconds. @default 15000 */
  readonly idleMs?: number
  readonly maxRedirects?: number
  readonly cacheDir: string
  readonly cacheBytes: number
  readonly contentHash: ContentHashAlgorithm
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onEvent?: OnMediaEvent
}

const DEFAULT_HEDGE_MS = 1_500
const DEFAULT_CONNECTIONS = 64
const DEFAULT_IN_FLIGHT_BYTES = 512 * 1024 * 1024
const DEFAULT_IDLE_MS = 15_000
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_REDIRECTS = 5

/** Builds the room: gateways, address guard and cache behind the port. @throws AttestdError setting-invalid, media-cache-failed */
export async function createMediaSource(options: MediaSourceOptions): Promise<MediaSource> {
  const { clock, contentHash: algorithm, log, maxBytes, onEvent = () => {}, timeoutMs } = options
  const now = () => clock.now()
  const { connectTimeoutMs = DEFAULT_CONNECT_TIMEOUT_MS, hedgeMs = DEFAULT_HEDGE_MS } = options
  const { idleMs = DEFAULT_IDLE_MS, maxRedirects = DEFAULT_MAX_REDIRECTS } = options
  const guard = createAddressGuard({ ...options, connectTimeoutMs })
  const http = createGatewayHttp({ idleMs, maxRedirects, guard, connectTimeoutMs, now })
  const health = new GatewayHealth(options.gateways.map(parseGateway), clock, options.random)
  const cached = { folder: options.cacheDir, maxBytes: options.cacheBytes }
  const cache = await MediaCache.open({ ...cached, algorithm, clock, log, onEvent })
  const pool = new FetchPool({
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    bytes: options.inFlightBytes ?? DEFAULT_IN_FLIGHT_BYTES,
    clock,
    onChange: (use) => onEvent({ type: 'pool', ...use }),
  })
  return new SharedMediaSource({
    cache,
    algorithm,
    maxBytes,
    timeoutMs,
    pool,
    clock,
    onEvent,
    allowHttp: options.allowHttp ?? false,
    ipfs: { http, health, hedgeMs, pool, maxBytes, clock, log, onEvent },
    web: { idleMs, maxRedirects, guard, maxBytes, now },
    disconnect: async () => {
      await Promise.all([http.close(), guard.dispatcher.destroy()])
    },
  })
}

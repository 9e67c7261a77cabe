import type { Clock, Random } from '../core/clock.js'
import type { Log } from '../core/log.js'
import { MediaCache } from './cache/media-cache.js'
import type { DownloadOptions } from './download.js'
import { FetchPool } from './fetch-pool.js'
import { createGatewayHttp, type GatewayHttp, parseGateway } from './ipfs/gateway.js'
import { GatewayHealth } from './ipfs/gateway-health.js'
import type { OnMediaEvent } from './media-event.js'
import type { ContentHashAlgorithm, MediaSource } from './media-source.js'
import { SharedMediaSource } from './shared-media-source.js'
import { type AddressGuard, createAddressGuard, type ResolveAll } from './web/address-guard.js'

/** What the room needs; `app/open/open-media.ts` fills it in from the settings. */
export interface MediaSourceOptions {
  /** Trustless gateways in order of preference, `https://HOST[/PREFIX]` or `http://…`; credentials in them are sent as basic auth. */
  readonly gateways: readonly string[]
  /** Silence after which the next gateway is asked as well, milliseconds. @default 1500 */
  readonly hedgeMs?: number
  /** Largest media, bytes. */
  readonly maxBytes: number
  /** Longest time for one fetch in all, milliseconds. */
  readonly timeoutMs: number
  /** Connections of all fetches together; see `FetchPoolOptions`. @default 64 */
  readonly connections?: number
  /** Bytes of unfinished fetches above which the larger ones pause. @default 512 MiB */
  readonly inFlightBytes?: number
  /** Longest silence of one connection, milliseconds. @default 15000 */
  readonly idleMs?: number
  /** @default 10000 */
  readonly connectTimeoutMs?: number
  /** @default 5 */
  readonly maxRedirects?: number
  readonly cacheDir: string
  /** Size cap of the cache, bytes. */
  readonly cacheBytes: number
  readonly contentHash: ContentHashAlgorithm
  /** Ports of `https://` media. @default [443] */
  readonly allowedPorts?: readonly number[]
  /** Takes `http://` media too. @default false */
  readonly allowHttp?: boolean
  /** Which addresses `https://` media may come from. @default public ones */
  readonly isAllowedAddress?: (address: string) => boolean
  /** Resolver for `https://` media. @default the system's */
  readonly resolve?: ResolveAll
  /** Further certificate authority for `https://` media, PEM. */
  readonly ca?: string
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

/** What downloads go through. */
interface Connections {
  readonly guard: AddressGuard
  readonly http: GatewayHttp
}

/** Builds the room: gateways, address guard and cache behind the port. @throws AttestdError setting-invalid, media-cache-failed */
export async function createMediaSource(options: MediaSourceOptions): Promise<MediaSource> {
  const onEvent = options.onEvent ?? (() => {})
  const connections = openConnections(options)
  const health = new GatewayHealth(options.gateways.map(parseGateway), options.clock, options.random)
  const cache = await openCache(options, onEvent)
  const parts = downloadOptions(options, { ...connections, health, cache, onEvent })
  return new SharedMediaSource({
    ...parts,
    allowHttp: options.allowHttp ?? false,
    disconnect: async () => {
      await Promise.all([connections.http.close(), connections.guard.dispatcher.destroy()])
    },
  })
}

function openConnections(options: MediaSourceOptions): Connections {
  const { clock, isAllowedAddress: isAllowed, resolve, ca, allowedPorts } = options
  const connectTimeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS
  const guard = createAddressGuard({
    connectTimeoutMs,
    allowHttp: options.allowHttp ?? false,
    isAllowed,
    resolve,
    allowedPorts,
    ca,
  })
  return { guard, http: createGatewayHttp({ ...patience(options), guard, connectTimeoutMs, now: () => clock.now() }) }
}

function openCache(options: MediaSourceOptions, onEvent: OnMediaEvent): Promise<MediaCache> {
  return MediaCache.open({
    folder: options.cacheDir,
    maxBytes: options.cacheBytes,
    algorithm: options.contentHash,
    clock: options.clock,
    log: options.log,
    onEvent,
  })
}

function downloadOptions(
  options: MediaSourceOptions,
  parts: Connections & Pick<DownloadOptions, 'cache' | 'onEvent'> & Pick<DownloadOptions['ipfs'], 'health'>,
): DownloadOptions {
  const { clock, log, maxBytes, timeoutMs, contentHash: algorithm, hedgeMs = DEFAULT_HEDGE_MS } = options
  const { guard, http, health, cache, onEvent } = parts
  const pool = new FetchPool({
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    bytes: options.inFlightBytes ?? DEFAULT_IN_FLIGHT_BYTES,
    clock,
    onChange: (use) => onEvent({ type: 'pool', ...use }),
  })
  return {
    cache,
    algorithm,
    maxBytes,
    timeoutMs,
    pool,
    clock,
    onEvent,
    ipfs: { http, health, hedgeMs, pool, maxBytes, clock, log, onEvent },
    web: { ...patience(options), guard, maxBytes, now: () => clock.now() },
  }
}

/** How many redirects and how long a silence one connection may have, by gateway or by web. */
function patience({ idleMs = DEFAULT_IDLE_MS, maxRedirects = DEFAULT_MAX_REDIRECTS }: MediaSourceOptions) {
  return { idleMs, maxRedirects }
}

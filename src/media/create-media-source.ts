import fs from 'node:fs/promises'
import type { Clock, Random } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { startDeadline } from '../core/time-limit.js'
import { MediaCache } from './cache/media-cache.js'
import { type Spooled, spool } from './cache/spool.js'
import { createGatewayHttp, parseGateway } from './ipfs/gateway.js'
import { GatewayHealth } from './ipfs/gateway-health.js'
import { fetchIpfs } from './ipfs/ipfs-fetch.js'
import type { OnMediaEvent } from './media-event.js'
import type { ContentHashAlgorithm, FetchedMedia, FetchRequest, MediaSource } from './media-source.js'
import { SingleFlight } from './single-flight.js'
import { type MediaUri, parseMediaUri } from './uri.js'
import { createAddressGuard, type ResolveAll } from './web/address-guard.js'
import { fetchWeb } from './web/https-fetch.js'

export interface MediaSourceOptions {
  /** Trustless gateways in order of preference, `https://HOST[/PREFIX]` or `http://…`; credentials in them are sent as basic auth. */
  readonly gateways: readonly string[]
  /** Silence after which the next gateway is asked as well, milliseconds. @default 1500 */
  readonly hedgeMs?: number
  /** Largest media, bytes. */
  readonly maxBytes: number
  /** Longest time for one fetch in all, milliseconds. */
  readonly timeoutMs: number
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

/** A finished run: where the bytes came from, and what keeps them in place. */
interface Arrival {
  readonly origin: string
  readonly digest: string
  readonly hold: { release(): void }
}

const DEFAULT_HEDGE_MS = 1_500
const DEFAULT_IDLE_MS = 15_000
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000
const DEFAULT_MAX_REDIRECTS = 5
/** Rounds of cache, fetch, cache before giving up on a file that keeps vanishing. */
const MAX_ROUNDS = 3

/** Builds the room: gateways, address guard and cache behind the port. @throws setting-invalid, media-cache-failed */
export async function createMediaSource(options: MediaSourceOptions): Promise<MediaSource> {
  const { clock, log, maxBytes, contentHash: algorithm } = options
  const onEvent = options.onEvent ?? (() => {})
  const idleMs = options.idleMs ?? DEFAULT_IDLE_MS
  const connectTimeoutMs = options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS
  const maxRedirects = options.maxRedirects ?? DEFAULT_MAX_REDIRECTS
  const { isAllowedAddress: isAllowed, resolve, ca, allowedPorts } = options
  const guard = createAddressGuard({
    connectTimeoutMs,
    allowHttp: options.allowHttp ?? false,
    ...(isAllowed && { isAllowed }),
    ...(resolve && { resolve }),
    ...(allowedPorts && { allowedPorts }),
    ...(ca !== undefined && { ca }),
  })
  const http = createGatewayHttp({ guard, maxRedirects, idleMs, connectTimeoutMs, now: () => clock.now() })
  const health = new GatewayHealth(options.gateways.map(parseGateway), clock, options.random)
  const cache = await MediaCache.open({
    folder: options.cacheDir,
    maxBytes: options.cacheBytes,
    algorithm,
    clock,
    log,
    onEvent,
  })
  const flights = new SingleFlight<Arrival>(({ hold }) => hold.release())
  const ipfs = { http, health, hedgeMs: options.hedgeMs ?? DEFAULT_HEDGE_MS, maxBytes, clock, log, onEvent }
  const web = { guard, maxBytes, maxRedirects, idleMs, now: () => clock.now() }
  let closed = false

  async function fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchedMedia> {
    signal?.throwIfAborted()
    const uri = parseMediaUri(request.uri, { allowHttp: options.allowHttp ?? false })
    const hash = parseContentHash(request.contentHash)
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      if (closed) throw new AttestdError('draining', 'The media source is closed.')
      const cached = await fromCache(hash, 'cache')
      if (round === 1) tellCache(cached, hash)
      const media = cached ?? (await fetchShared(request.uri, uri, hash, signal))
      if (media) return media
    }
    throw new AttestdError('media-cache-failed', 'The media vanished from the cache again and again.')
  }

  async function fromCache(hash: string, origin: string): Promise<FetchedMedia | null> {
    const lease = await cache.acquire(hash)
    return lease && { ...lease, contentHash: hash, origin }
  }

  function tellCache(cached: FetchedMedia | null, hash: string): void {
    const outcome = cached ? 'hit' : flights.labelOf(hash) === undefined ? 'miss' : 'shared'
    onEvent({ type: 'cache', outcome, bytes: cached?.bytes ?? 0 })
  }

  /** Null where a run for another URI of the same content failed, or the file was lost: try again. */
  async function fetchShared(
    text: string,
    uri: MediaUri,
    hash: string,
    signal?: AbortSignal,
  ): Promise<FetchedMedia | null> {
    const label = flights.labelOf(hash) ?? text
    try {
      return await flights.join(
        hash,
        text,
        (runSignal) => download(uri, hash, runSignal),
        ({ origin }) => fromCache(hash, origin),
        signal,
      )
    } catch (error) {
      if (label !== text && !signal?.aborted) return null
      throw error
    }
  }

  async function fetchUnstated(text: string, signal?: AbortSignal): Promise<FetchedMedia> {
    if (closed) throw new AttestdError('draining', 'The media source is closed.')
    const uri = parseMediaUri(text, { allowHttp: options.allowHttp ?? false })
    const media = await flights.join(
      `unstated ${text}`,
      text,
      (runSignal) => download(uri, null, runSignal),
      ({ digest, origin }) => fromCache(digest, origin),
      signal,
    )
    if (media) return media
    throw new AttestdError('media-cache-failed', 'The media vanished from the cache.')
  }

  /** @param hash what the bytes must have; null where nothing is stated */
  async function download(uri: MediaUri, hash: string | null, signal: AbortSignal): Promise<Arrival> {
    const started = clock.monotonic()
    const { timeoutMs } = options
    const deadline = startDeadline(clock, timeoutMs, signal, () => {
      return new AttestdError('media-timeout', `The media did not arrive within ${timeoutMs} ms.`)
    })
    try {
      const { value, origin } = await transfer(uri, hash, deadline.signal)
      const hold = await cache.commit(value)
      const scheme = uri.kind
      onEvent({ type: 'fetched', scheme, origin, bytes: value.bytes, ms: Math.round(clock.monotonic() - started) })
      return { origin, digest: value.digest, hold }
    } catch (error) {
      if (isDiskFull(error)) await cache.relieve()
      throw error
    } finally {
      deadline.clear()
    }
  }

  async function transfer(
    uri: MediaUri,
    hash: string | null,
    signal: AbortSignal,
  ): Promise<{ value: Spooled; origin: string }> {
    const write = async (source: AsyncIterable<Uint8Array>) => {
      const spooled = await spool(source, cache.temporaryFile(), { algorithm, maxBytes })
      if (hash === null || spooled.digest === hash) return spooled
      await removeFile(spooled)
      throw hashMismatch(algorithm, hash, spooled)
    }
    if (uri.kind === 'ipfs') return fetchIpfs(uri, { write, discard: removeFile }, signal, ipfs)
    return { value: await write(fetchWeb(uri.url, signal, web)), origin: uri.url.host }
  }

  async function close(): Promise<void> {
    closed = true
    await flights.abortAll(new AttestdError('draining', 'The media source is closing.'))
    await Promise.all([http.close(), guard.dispatcher.destroy()])
    await cache.close()
  }

  return { fetch, fetchUnstated, close }
}

function parseContentHash(text: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new AttestdError('asset-malformed', 'The contentHash of the asset is not 0x and 64 hex characters.')
}

async function removeFile({ file }: Spooled): Promise<void> {
  await fs.rm(file, { force: true }).catch(() => {})
}

function hashMismatch(algorithm: ContentHashAlgorithm, expected: string, { digest, bytes }: Spooled): AttestdError {
  return new AttestdError(
    'content-hash-mismatch',
    `The media has ${algorithm} ${digest}, but the service states ${expected}.`,
    { facts: { algorithm, bytes } },
  )
}

function isDiskFull(error: unknown): boolean {
  return error instanceof AttestdError && (error.facts.code === 'ENOSPC' || error.facts.code === 'EDQUOT')
}

import { AttestdError } from '../core/errors.js'
import { type Arrival, type DownloadOptions, download } from './download.js'
import type { FetchedMedia, FetchRequest, MediaSource } from './media-source.js'
import { SingleFlight } from './single-flight.js'
import { parseMediaUri } from './uri.js'

/** What `createMediaSource` builds and `SharedMediaSource` closes: the cache, and downloads that fill it. */
export interface SharedMediaSourceParts extends DownloadOptions {
  disconnect(): Promise<void>
}

/** Rounds of cache, fetch, cache before giving up on a file that keeps vanishing. */
const MAX_ROUNDS = 3

/** Looks in the cache first; whoever wants the same content of the same URI at the same time shares one download. */
export class SharedMediaSource implements MediaSource {
  readonly #parts: SharedMediaSourceParts
  readonly #flights = new SingleFlight<Arrival>(({ hold }) => hold.release())
  #isClosed = false

  constructor(parts: SharedMediaSourceParts) {
    this.#parts = parts
  }

  async fetch(request: FetchRequest, signal?: AbortSignal): Promise<FetchedMedia> {
    signal?.throwIfAborted()
    const uri = parseMediaUri(request.uri)
    const hash = parseContentHash(request.contentHash)
    // By the URI, too: whoever lists content of others under a URI that delivers nothing must not make them wait for it.
    const key = `${hash} ${request.uri}`
    const start = (runSignal: AbortSignal) =>
      download({ ...this.#parts, uri, hash, slowBefore: request.slowBefore }, runSignal)
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      this.#refuseWhenClosed()
      const cached = await this.#parts.cache.acquire(hash)
      if (round === 1) this.#reportCache(cached, key)
      const media = cached ?? (await this.#flights.join(key, start, () => this.#parts.cache.acquire(hash), signal))
      if (media) return media
    }
    throw new AttestdError('media-cache-failed', 'The media repeatedly vanished from the cache.')
  }

  async fetchUnstated(text: string): Promise<FetchedMedia> {
    this.#refuseWhenClosed()
    const uri = parseMediaUri(text)
    const media = await this.#flights.join(
      `unstated ${text}`,
      (runSignal) => download({ ...this.#parts, uri, hash: null }, runSignal),
      ({ digest }) => this.#parts.cache.acquire(digest),
    )
    if (media) return media
    throw new AttestdError('media-cache-failed', 'The media vanished from the cache.')
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#flights.abortAll(new AttestdError('draining', 'The media source is closing.'))
    await this.#parts.disconnect()
    await this.#parts.cache.close()
  }

  #reportCache(cached: FetchedMedia | null, key: string): void {
    const outcome = cached ? 'hit' : this.#flights.has(key) ? 'shared' : 'miss'
    this.#parts.onEvent({ type: 'cache', outcome, bytes: cached?.bytes ?? 0 })
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new AttestdError('draining', 'The media source is closed.')
  }
}

function parseContentHash(text: string): string {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return text.toLowerCase()
  throw new AttestdError('asset-malformed', 'The contentHash of the asset is not 0x and 64 hex characters.')
}

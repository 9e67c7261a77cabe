import { isDiskFull } from '../core/disk/storage-error.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import { startDeadline } from '../core/time-limit.js'
import type { MediaCache } from './cache/media-cache.js'
import { removeSpooled, type Spooled, spool } from './cache/spool.js'
import type { FetchPool, Transfer } from './fetch-pool.js'
import { fetchIpfs, type IpfsFetchOptions } from './ipfs/ipfs-fetch.js'
import type { ContentHashAlgorithm } from './media-source.js'
import type { MediaUri } from './uri.js'
import { fetchWeb, type HttpsFetchOptions } from './web/https-fetch.js'

/** A finished download, and what keeps it in place. */
export interface Arrival {
  readonly digest: string
  readonly hold: { release(): void }
}

/** What every download shares: the cache it fills, the limits on one, and the two ways of fetching. */
export interface DownloadOptions extends IpfsFetchOptions, HttpsFetchOptions {
  readonly cache: MediaCache
  readonly algorithm: ContentHashAlgorithm
  readonly timeoutMs: number
  readonly pool: FetchPool
}

/** One download. */
export interface Download extends DownloadOptions {
  readonly uri: MediaUri
  /** What the bytes must have; null where nothing is stated. */
  readonly hash: string | null
  /** How often this media was too slow; undefined takes it at any rate. */
  readonly slowBefore?: number | undefined
}

/**
 * Fetches the bytes of a URI into the cache, within the time limit and the limits of the pool.
 * @throws AttestdError uri-unsupported, media-*, content-hash-mismatch, or the signal's reason
 */
export async function download(one: Download, signal: AbortSignal): Promise<Arrival> {
  const { cache, clock, pool, slowBefore, timeoutMs, onEvent, uri } = one
  const scheme = uri.kind
  const host = uri.kind === 'https' ? uri.url.host : null
  const started = clock.monotonic()
  const deadline = startDeadline(clock, timeoutMs, signal, () => {
    return new AttestdError('media-timeout', `The media did not arrive within ${timeoutMs} ms.`)
  })
  try {
    const spooled = await pool.run({ host, slowBefore }, deadline.signal, (transfer) => receive(transfer, one))
    const hold = await cache.commit(spooled)
    onEvent({ type: 'fetched', scheme, bytes: spooled.bytes, ms: Math.round(clock.monotonic() - started) })
    return { digest: spooled.digest, hold }
  } catch (error) {
    const { reason } = toAttestdError(error)
    if (reason === 'media-too-slow' || reason === 'media-busy') onEvent({ type: 'put-off', scheme, reason })
    // The own disk alone: what others word may name anything.
    if (reason === 'media-cache-failed' && isDiskFull(error)) await cache.relieve()
    throw error
  } finally {
    deadline.clear()
  }
}

async function receive(transfer: Transfer, one: Download): Promise<Spooled> {
  const { uri } = one
  const write = (source: AsyncIterable<Uint8Array>) => writeVerified(source, one)
  if (uri.kind === 'ipfs') return fetchIpfs({ ...one, uri, write, transfer })
  const disconnect = transfer.connect()
  try {
    return await write(fetchWeb(uri.url, transfer, one))
  } finally {
    disconnect()
  }
}

/** Writes a stream into a temporary file of the cache, which stays only where its digest is the stated one. */
async function writeVerified(
  source: AsyncIterable<Uint8Array>,
  { cache, algorithm, hash, maxBytes }: Download,
): Promise<Spooled> {
  const spooled = await spool(source, cache.temporaryFile(), { algorithm, maxBytes })
  if (hash === null || spooled.digest === hash) return spooled
  await removeSpooled(spooled)
  throw hashMismatch(algorithm, hash, spooled)
}

function hashMismatch(algorithm: ContentHashAlgorithm, expected: string, { digest, bytes }: Spooled): AttestdError {
  return new AttestdError(
    'content-hash-mismatch',
    `The media has ${algorithm} ${digest}, but the service states ${expected}.`,
    { facts: { algorithm, bytes } },
  )
}

import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { tooLarge } from '../cache/spool.js'
import type { Transfer } from '../fetch-pool.js'
import type { AddressGuard } from './address-guard.js'
import { bodyChunks, get } from './http-get.js'

/** Limits on fetching from web servers; `maxBytes` is compared only with the length that a server states. */
export interface HttpsFetchOptions {
  readonly guard: AddressGuard
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly idleMs: number
  readonly clock: Clock
}

/**
 * The bytes behind a URL that an asset names, every hop behind the address guard. The caller counts the bytes:
 * a stated length over the cap is refused at once, a wrong one does not matter.
 * @throws AttestdError address-refused, uri-unsupported, media-*
 */
export async function* fetchWeb(
  url: URL,
  { arrived, signal }: Pick<Transfer, 'arrived' | 'signal'>,
  options: HttpsFetchOptions,
): AsyncGenerator<Uint8Array> {
  const reply = await get(url, {
    ...options,
    headers: { accept: '*/*' },
    signal,
    route: (hop) => {
      options.guard.check(hop)
      return { dispatcher: options.guard.dispatcher }
    },
  })
  if ((reply.contentLength ?? 0) > options.maxBytes) {
    reply.body.destroy()
    throw tooLarge(options.maxBytes)
  }
  let bytes = 0
  for await (const chunk of bodyChunks(reply, signal)) {
    bytes += chunk.length
    await arrived(chunk.length)
    yield chunk
  }
  if (reply.contentLength !== undefined && bytes !== reply.contentLength) {
    throw new AttestdError('media-unreachable', `${url.host} sent ${bytes} of ${reply.contentLength} bytes.`)
  }
}

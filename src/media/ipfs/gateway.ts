import type { CID } from 'multiformats/cid'
import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../../core/clock.js'
import { AttestdError, errorText } from '../../core/errors.js'
import { readBounded } from '../../core/net/read-bounded.js'
import { sharedLookup } from '../../core/net/shared-lookup.js'
import type { AddressGuard } from '../web/address-guard.js'
import { bodyChunks, type GetReply, get } from '../web/http-get.js'
import { checkBlock, integrity, MAX_BLOCK_BYTES } from './block-check.js'

/** A trustless gateway of the operator's list; it may have a private address and plain http. */
export interface Gateway {
  /** Host and port, for logs and metrics. */
  readonly name: string
  readonly base: URL
  /** Value of the Authorization header, from credentials in the configured URL. Secret. */
  readonly authorization: string | undefined
}

/** Limits on requests to gateways, times in milliseconds; `clock` is for Retry-After dates. */
export interface GatewayHttpOptions {
  /** Vets hops that leave the gateway's own origin. */
  readonly guard: AddressGuard
  readonly maxRedirects: number
  readonly idleMs: number
  readonly connectTimeoutMs: number
  readonly clock: Pick<Clock, 'now'>
}

/** Plain HTTP to the configured gateways, which verifies nothing: blocks are checked where they are read. */
export interface GatewayHttp {
  /** Asks a gateway for `/ipfs/…` in one of the trustless formats. */
  get(gateway: Gateway, path: string, accept: string, signal: AbortSignal): Promise<GetReply>
  close(): Promise<void>
}

/**
 * Counts chunks as they come against what one attempt may receive in all; a gateway that sends more is padding.
 * @throws AttestdError media-integrity when there are too many bytes
 */
export type ByteBudget = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>

/** Share of a file's size that graph nodes, CIDs and framing may add; real graphs need under 1 %. */
const OVERHEAD_SHARE = 1 / 8
/** Added on top for small files and directory nodes on the way to them, bytes. */
const OVERHEAD_BYTES = 16 * 1024 * 1024

/** Reads one configured gateway URL. @throws AttestdError setting-invalid */
export function parseGateway(text: string): Gateway {
  if (!URL.canParse(text)) throw invalid('it does not parse as a URL')
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw invalid(`${url.protocol} is neither https: nor http:`)
  if (url.search !== '' || url.hash !== '') throw invalid(`${url.host} has a query or a fragment`)
  const credentials = credentialsOf(url)
  const authorization = credentials === ':' ? undefined : `Basic ${Buffer.from(credentials).toString('base64')}`
  url.username = ''
  url.password = ''
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\/ipfs$/, '')
  return { name: url.host, base: url, authorization }
}

function credentialsOf(url: URL): string {
  try {
    return `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  } catch {
    throw invalid(`the credentials for ${url.host} are not percent-encoded`)
  }
}

/** `/ipfs/CID/path` with every segment encoded. */
export const ipfsPath = (cid: CID, path: readonly string[] = []): string =>
  ['/ipfs', cid.toString(), ...path.map(encodeURIComponent)].join('/')

/** Requests to gateways: their own origin is trusted to be private, wherever they redirect to is not. */
export function createGatewayHttp(options: GatewayHttpOptions): GatewayHttp {
  const dispatcher = new Agent({ connect: { timeout: options.connectTimeoutMs, lookup: sharedLookup } })
  return {
    get: (gateway, path, accept, signal) => {
      const url = new URL(gateway.base.pathname.replace(/\/$/, '') + path, gateway.base)
      return get(url, { ...options, headers: { accept }, signal, route: (hop) => route(hop, gateway) })
    },
    close: () => dispatcher.destroy(),
  }

  function route(hop: URL, gateway: Gateway): { dispatcher: Dispatcher; headers?: Record<string, string> } {
    if (hop.origin === gateway.base.origin) {
      return { dispatcher, ...(gateway.authorization ? { headers: { authorization: gateway.authorization } } : {}) }
    }
    try {
      options.guard.check(hop)
    } catch (error) {
      // The gateway's fault, not the asset's.
      throw new AttestdError(
        'media-unreachable',
        `Gateway ${gateway.name} redirected to a place that is not allowed: ${errorText(error)}`,
      )
    }
    return { dispatcher: options.guard.dispatcher }
  }
}

/** A budget for a file of at most `maxBytes`. @param arrived awaited for every chunk */
export function createByteBudget(maxBytes: number, arrived?: (bytes: number) => Promise<void>): ByteBudget {
  const limit = maxBytes * (1 + OVERHEAD_SHARE) + OVERHEAD_BYTES
  let taken = 0
  return async function* (chunks) {
    for await (const chunk of chunks) {
      taken += chunk.length
      if (taken > limit) throw integrity(`it sent over ${Math.round(limit)} bytes for a file of at most ${maxBytes}`)
      await arrived?.(chunk.length)
      yield chunk
    }
  }
}

/** One block by itself (`?format=raw`), verified. @throws AttestdError media-* */
export async function fetchBlock(
  http: GatewayHttp,
  gateway: Gateway,
  cid: CID,
  budget: ByteBudget,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const reply = await http.get(gateway, `${ipfsPath(cid)}?format=raw`, 'application/vnd.ipld.raw', signal)
  const chunks = budget(bodyChunks(reply, signal))
  const block = await readBounded(chunks, MAX_BLOCK_BYTES, () => integrity('a block is over the block cap'))
  checkBlock(cid, block)
  return block
}

const invalid = (why: string): AttestdError =>
  new AttestdError('setting-invalid', `An IPFS gateway is not accepted: ${why}.`)

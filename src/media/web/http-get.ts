import type { Readable } from 'node:stream'
import { type Dispatcher, errors, request } from 'undici'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { lookupText } from '../../core/net/shared-lookup.js'
import { connectionText, tlsFix } from '../../core/net/tls-failure.js'
import { parseRetryAfter } from '../../core/retry.js'

/** Rules of one GET with its redirects; there is no limit on the whole time, which is the signal's to end. */
export interface GetOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Hops that are followed. */
  readonly maxRedirects: number
  /** Longest silence before headers and between body chunks, milliseconds. */
  readonly idleMs: number
  readonly signal: AbortSignal
  /** Vets the URL of every hop and gives what dials it; `headers` adds to that hop alone (credentials). @throws to refuse */
  route(url: URL): { readonly dispatcher: Dispatcher; readonly headers?: Readonly<Record<string, string>> }
  /** To read Retry-After dates. */
  readonly clock: Pick<Clock, 'now'>
}

/** A 200 answer whose body has not been read; other statuses are thrown as `HttpStatusError`. */
export interface GetReply {
  readonly url: URL
  readonly contentType: string
  /** Bytes the server states it will send. */
  readonly contentLength: number | undefined
  /** Unread body; destroy it when it is not read to the end. */
  readonly body: Readable
}

/** A status that is not 200, kept apart so that callers can distinguish "not here" from "broken". */
export class HttpStatusError extends AttestdError {
  readonly status: number

  constructor(host: string, status: number, retryAfterMs: number | undefined) {
    super('media-unreachable', `${host} answered with status ${status}.`, { facts: { host, status }, retryAfterMs })
    this.status = status
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/**
 * GET with every redirect hop vetted by `route`; only a 200 with an unencoded body is returned.
 * @throws HttpStatusError, media-redirects, media-timeout, media-unreachable, and what `route` throws
 */
export async function get(start: URL, options: GetOptions): Promise<GetReply> {
  let url = start
  for (let hop = 0; hop <= options.maxRedirects; hop += 1) {
    const response = await send(url, options)
    const location = response.headers.location
    if (!REDIRECTS.has(response.statusCode) || typeof location !== 'string') return accept(url, response, options)
    response.body.destroy()
    if (!URL.canParse(location, url.href))
      throw new AttestdError('media-redirects', `${url.host} redirected to no URL.`)
    url = new URL(location, url)
  }
  throw new AttestdError('media-redirects', `${start.host} redirected more than ${options.maxRedirects} times.`)
}

async function send(url: URL, options: GetOptions): Promise<Dispatcher.ResponseData> {
  const { dispatcher, headers } = options.route(url)
  try {
    const response = await request(url, {
      dispatcher,
      signal: options.signal,
      headersTimeout: options.idleMs,
      bodyTimeout: options.idleMs,
      headers: { 'user-agent': 'attestd', 'accept-encoding': 'identity', ...options.headers, ...headers },
    })
    // An abort after the last read would otherwise be an unhandled error event.
    response.body.on('error', () => {})
    return response
  } catch (error) {
    throw httpFailure(error, url, options.signal)
  }
}

function accept(url: URL, { statusCode, headers, body }: Dispatcher.ResponseData, options: GetOptions): GetReply {
  if (statusCode !== 200) {
    body.destroy()
    throw new HttpStatusError(url.host, statusCode, parseRetryAfter(first(headers['retry-after']), options.clock.now()))
  }
  const encoding = first(headers['content-encoding']) ?? 'identity'
  if (encoding !== 'identity') {
    body.destroy()
    throw new AttestdError('media-unreachable', `${url.host} sent ${encoding} although plain bytes were requested.`)
  }
  const length = Number(first(headers['content-length']) ?? Number.NaN)
  return {
    url,
    contentType: first(headers['content-type']) ?? '',
    contentLength: Number.isFinite(length) ? length : undefined,
    body,
  }
}

/** The chunks of a body, with failures named. */
export async function* bodyChunks(reply: GetReply, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of reply.body) yield chunk as Uint8Array
  } catch (error) {
    throw httpFailure(error, reply.url, signal)
  } finally {
    reply.body.destroy()
  }
}

/** A failure of the connection by name; the reason of an abort goes through as it is. */
function httpFailure(error: unknown, { host, hostname }: URL, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof AttestdError) return error
  const timedOut =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    error instanceof errors.ConnectTimeoutError
  const reason = timedOut ? 'media-timeout' : 'media-unreachable'
  const fix = tlsFix(error)
  const message = `${host} failed: ${connectionText(error)}${lookupText(hostname)}.`
  return new AttestdError(reason, message, { cause: error, facts: { host }, fix })
}

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

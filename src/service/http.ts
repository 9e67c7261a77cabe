import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { Agent, type Dispatcher, request } from 'undici'
import type { z } from 'zod'
import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { readBounded } from '../core/net/read-bounded.js'
import { sharedLookup } from '../core/net/shared-lookup.js'
import type { Reason } from '../core/reasons.js'
import { startDeadline, unlessAborted } from '../core/time-limit.js'
import {
  type AnswerHeaders,
  ageOf,
  brokenOff,
  dateOf,
  errorOfResponse,
  type Flight,
  invalidReply,
  masked,
  NOT_THE_API,
  retryAfterOf,
  type Sent,
} from './http-errors.js'
import { parseJson } from './long-answers.js'
import { issueText, shapeText } from './shape-text.js'

/** Largest answer that is read, bytes; room for some 20,000 assets. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024
/** Largest error body that is read, bytes: of its text some hundred characters are used. */
const MAX_ERROR_BYTES = 64 * 1024
/** Lists, objects, members and commas in one answer: some 25,000 assets. */
const MAX_REPLY_PARTS = 600_000
/** One request of `HttpCaller`; errors, logs and metrics call it by its `route`. */
export interface HttpCall extends Sent {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Of the body. @default 'application/json' */
  readonly contentType?: string
  /** For this request with its whole answer, milliseconds. @default that of the caller */
  readonly timeoutMs?: number
  /** Called when the connection stands and the request is about to be written: what it throws keeps the request back. */
  readonly lastLook?: (() => void) | undefined
}

/** A request before it has its credentials; `target` is its path and query, as they are signed. */
export interface Unsent
  extends Pick<HttpCall, 'method' | 'route' | 'body' | 'contentType' | 'timeoutMs' | 'provenBy' | 'lastLook'> {
  readonly target: string
}

/** One finished request; for metrics. */
export interface RequestEvent {
  readonly route: string
  /** Null where no answer came. */
  readonly status: number | null
  readonly reason: Reason | null
  readonly elapsedMs: number
}

/** What all requests of one caller share; a single one changes only its `timeoutMs`. */
export interface HttpOptions {
  readonly clock: Clock
  /** For one request with its whole answer, milliseconds. */
  readonly timeoutMs: number
  readonly userAgent: string
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** What a person can do about a refusal, by its reason. @default what the list of reasons states */
  readonly fixes?: Readonly<Partial<Record<Reason, string>>> | undefined
  /** Called with the time that an answer states in its Date, Unix milliseconds to the second, where it does. */
  readonly onDate?: ((serverMs: number) => void) | undefined
}

/** An answer whose body has not been read. */
interface Answer {
  readonly status: number
  readonly headers: AnswerHeaders
  readonly body: AsyncIterable<Uint8Array>
}

/** The request with its credentials. @param secrets see `Sent` */
export function callOf(
  { target, ...request }: Unsent,
  origin: URL,
  headers: Readonly<Record<string, string>> = {},
  secrets: readonly string[] = [],
): HttpCall {
  return { ...request, url: new URL(target, origin), headers, changes: request.method !== 'GET', secrets }
}

/** The headers of a request with a session token. */
export const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` })

/** JSON requests with a timeout, a size cap, and every failure as an `AttestdError`; never follows a redirect. */
export class HttpCaller {
  readonly #options: HttpOptions
  readonly #agent = new Agent({ connect: { lookup: sharedLookup } })

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /**
   * One request, answered with JSON of the stated shape.
   * @throws AttestdError service-* (`ambiguous` where a changing request may
   * have taken effect), score-conflict for 409, or the signal's own reason where nothing can have taken effect
   */
  async json<Shape extends z.ZodType>(call: HttpCall, shape: Shape, signal?: AbortSignal): Promise<z.output<Shape>> {
    return this.#observed(call, signal, async ({ body, headers }) =>
      parseReply(call, { text: await this.#text(call, body), type: String(headers['content-type'] ?? 'none') }, shape),
    )
  }

  /** One request of which only the success matters. @throws as `json` does */
  async done(call: HttpCall): Promise<void> {
    return this.#observed(call, undefined, async ({ body }) => {
      await this.#text(call, body)
    })
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #observed<T>(
    call: HttpCall,
    signal: AbortSignal | undefined,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const { clock, onRequest } = this.#options
    const startedAt = clock.monotonic()
    const flight: Flight = { started: false, status: null }
    const report = (reason: Reason | null) =>
      onRequest?.({ route: call.route, status: flight.status, reason, elapsedMs: clock.monotonic() - startedAt })
    try {
      const result = await this.#timed(call, flight, signal, read)
      report(null)
      return result
    } catch (error) {
      if (error instanceof AttestdError) report(error.reason)
      throw error
    }
  }

  async #timed<T>(
    call: HttpCall,
    flight: Flight,
    signal: AbortSignal | undefined,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const { clock } = this.#options
    const timeoutMs = call.timeoutMs ?? this.#options.timeoutMs
    signal?.throwIfAborted()
    const deadline = startDeadline(clock, timeoutMs, signal)
    try {
      const answer = await this.#send(call, flight, deadline.signal)
      if (answer.status < 200 || answer.status > 299) throw await this.#refusal(call, answer)
      return await read(answer)
    } catch (error) {
      if (error instanceof AttestdError) throw error
      throw brokenOff(call, flight, error, { signal, timedOut: deadline.passed, timeoutMs, host: call.url.hostname })
    } finally {
      deadline.clear()
    }
  }

  async #send(call: HttpCall, flight: Flight, signal: AbortSignal): Promise<Answer> {
    const { contentType = 'application/json' } = call
    const sent = request(call.url, {
      method: call.method,
      headers: {
        accept: 'application/json',
        'accept-encoding': [...UNPACKERS.keys()].join(', '),
        'user-agent': this.#options.userAgent,
        ...(call.body === undefined ? {} : { 'content-type': contentType }),
        ...call.headers,
      },
      body: call.body ?? null,
      signal,
      dispatcher: onWire(this.#agent, () => {
        call.lastLook?.()
        flight.started = true
      }),
    })
    // undici looks at the signal only once a connection stands.
    const { body, headers, statusCode } = await unlessAborted(sent, signal)
    // An abort after the last read would otherwise be an unhandled error event.
    body.on('error', () => {})
    flight.status = statusCode
    const serverMs = dateOf(headers)
    if (serverMs !== null) this.#options.onDate?.(serverMs + ageOf(headers))
    return { status: statusCode, headers, body: plain(body, headers['content-encoding']) }
  }

  async #refusal(call: HttpCall, { body, headers, status }: Answer): Promise<AttestdError> {
    const retryAfterMs = retryAfterOf(headers, this.#options.clock.now())
    // The status has been stated; an error body that breaks off or is too large takes nothing away from it.
    const text = await this.#text(call, body, MAX_ERROR_BYTES).catch(() => '')
    return errorOfResponse(
      call,
      { status, retryAfterMs, body: text, location: String(headers.location ?? '') },
      this.#options.fixes,
    )
  }

  async #text(call: HttpCall, body: Answer['body'], maxBytes = MAX_REPLY_BYTES): Promise<string> {
    const tooLarge = () => invalidReply(call, `it is larger than ${maxBytes} bytes`)
    return (await readBounded(body, maxBytes, tooLarge)).toString('utf8')
  }
}

/** What the edge of a service may apply to an answer (specification, transport). */
const UNPACKERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
])

/** Errors of the body end the unpacked one too. */
function plain(body: Readable, encoding: string | string[] | undefined): Readable {
  const unpacker = UNPACKERS.get(String(encoding).toLowerCase())
  return unpacker ? pipeline(body, unpacker(), () => {}) : body
}

/** `type` is the content type, which tells nothing where the text is JSON of the stated shape. */
type Reply = Readonly<Record<'text' | 'type', string>>

function parseReply<Shape extends z.ZodType>(call: HttpCall, reply: Reply, shape: Shape): z.output<Shape> {
  const value = jsonOf(call, reply)
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  // Keys are the sender's words as well: one that repeats a secret as a key must not get it into a log.
  throw invalidReply(call, masked(`${issueText(parsed.error)}; it is ${shapeText(value)}`, call.secrets ?? []))
}

function jsonOf(call: HttpCall, { text, type }: Reply): unknown {
  try {
    return parseJson(text, MAX_REPLY_PARTS)
  } catch (error) {
    if (error instanceof RangeError) throw invalidReply(call, error.message)
    const stated = masked(type, call.secrets ?? []).slice(0, 100)
    const fix = /html/i.test(type) ? NOT_THE_API : undefined
    throw invalidReply(call, `it is not JSON; its content type is ${stated}`, fix)
  }
}

/**
 * The dispatcher, reporting when a request of it is about to be written to a connection that stands. Until then nothing
 * of the request has left, whatever error comes; from then on the other side may have got all of it.
 */
function onWire(dispatcher: Dispatcher, started: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    return dispatch(options, {
      onRequestStart: (controller, context) => {
        started()
        handler.onRequestStart?.(controller, context)
      },
      onRequestUpgrade: (...rest) => handler.onRequestUpgrade?.(...rest),
      onResponseStart: (...rest) => handler.onResponseStart?.(...rest),
      onResponseData: (...rest) => handler.onResponseData?.(...rest),
      onResponseEnd: (...rest) => handler.onResponseEnd?.(...rest),
      onResponseError: (...rest) => handler.onResponseError?.(...rest),
    })
  })
}

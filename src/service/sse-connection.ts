import { type ErrorEvent, EventSource, type EventSourceFetchInit, type FetchLikeResponse } from 'eventsource'
import { type Dispatcher, fetch, type Response } from 'undici'
import type { Clock } from '../core/clock.js'
import { AttestdError, errorText } from '../core/errors.js'
import { withinLimit } from '../core/time-limit.js'
import { Turns } from '../core/turns/turns.js'
import { EventSplitter, type StreamPiece } from './event-splitter.js'
import { errorOfResponse, retryAfterOf } from './http-errors.js'
import { Inbox } from './inbox.js'

/** One event as it stood on the wire. */
export interface RawEvent {
  readonly name: string
  readonly data: string
  /** Empty where the event had none. */
  readonly id: string
}

/** What one connection gives: an event, or a sign of life that says nothing (a comment). */
export type StreamItem = RawEvent | 'alive'

/** One request for a stream, with its limits; `route` is the name that messages use for it. */
export interface SseConnectionOptions {
  readonly url: URL
  readonly route: string
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  readonly dispatcher: Dispatcher
  /** Until the headers of the answer, milliseconds. */
  readonly headerTimeoutMs: number
  /** Longest silence, milliseconds; any byte ends it. */
  readonly idleMs: number
  readonly maxEventBytes: number
}

/**
 * The eventsource library as the reader of one connection. It gets the bytes of one event at a time and only when the last
 * one was handled, in short turns; every end is reported through `inbox`, and it never reconnects by itself.
 */
export class SseConnection {
  readonly #options: SseConnectionOptions
  readonly #inbox = new Inbox<StreamItem>()
  readonly #stop = new AbortController()
  readonly #source: EventSource
  /** Monotonic time at which the headers of a good answer came; null before. */
  openedAt: number | null = null

  constructor(options: SseConnectionOptions) {
    this.#options = options
    this.#source = new SingleSource(options.url, {
      fetch: (_, init) => this.#connect(init),
      onEvent: (event) => this.#inbox.push({ name: event.type, data: String(event.data), id: event.lastEventId }),
      // Every end that is known here was put into the inbox before; this catches what only the library noticed.
      onEnd: (event) => this.#end(new AttestdError('stream-ended', event.message)),
    })
  }

  /** The next event, in order. @throws an `AttestdError` that says why the connection ended */
  next(): Promise<StreamItem> {
    return this.#inbox.next()
  }

  close(reason: unknown = new AttestdError('stream-ended')): void {
    this.#end(reason)
    this.#source.close()
  }

  #end(error: unknown): void {
    this.#inbox.fail(error)
    this.#stop.abort()
  }

  /** The library's fetch: its first call opens the connection; it makes no second one, since it is closed by then. */
  async #connect(init: EventSourceFetchInit): Promise<FetchLikeResponse> {
    try {
      const { clock, headerTimeoutMs, route } = this.#options
      const response = await withinLimit(clock, headerTimeoutMs, this.#request(init), () => {
        throw new AttestdError('service-timeout', `${route} sent no headers in time.`)
      })
      this.#refuseUnlessStream(response)
      this.openedAt = clock.monotonic()
      // Status and content type were checked; the library compares the latter by letter case.
      const headers = { get: () => 'text/event-stream' }
      const body = { getReader: () => this.#readerOf(response) }
      return { status: 200, headers, body, url: this.#options.url.href, redirected: false }
    } catch (error) {
      this.#end(this.#errorOf(error, 'service-unreachable'))
      throw error
    }
  }

  #request(init: EventSourceFetchInit): Promise<Response> {
    const { url, headers, dispatcher } = this.#options
    return fetch(url, {
      // A compressing edge would hold events back until its buffer is full.
      headers: { ...init.headers, 'accept-encoding': 'identity', ...headers },
      cache: 'no-store',
      redirect: 'manual',
      signal: this.#stop.signal,
      dispatcher,
    })
  }

  #refuseUnlessStream(response: Response): void {
    const { route, clock } = this.#options
    const { status, headers } = response
    if (status !== 200) {
      const retryAfterMs = retryAfterOf(headers, clock.now())
      throw errorOfResponse({ route, status, retryAfterMs, body: '', changes: false })
    }
    const type = headers.get('content-type') ?? 'none'
    if (!/^text\/event-stream\b/i.test(type)) {
      throw new AttestdError('service-reply-invalid', `${route} has the content type ${type.slice(0, 100)}.`)
    }
  }

  /** Gives the library one piece a read, and reads on only when the one before was handled. */
  #readerOf(response: Response) {
    const body = response.body?.getReader()
    const splitter = new EventSplitter(this.#options.maxEventBytes)
    const turns = new Turns()
    /** The next one last. */
    let pieces: StreamPiece[] = []
    const read = async (): Promise<{ done: false; value: Uint8Array } | { done: true }> => {
      for (;;) {
        await this.#inbox.emptied()
        const piece = pieces.pop()
        await turns.step(piece?.bytes.length)
        if (piece?.kind === 'silence') this.#inbox.push('alive')
        else if (piece) return { done: false, value: piece.bytes }
        else {
          const chunk = await this.#chunk(body)
          if (!chunk) return { done: true }
          await turns.step(chunk.length)
          pieces = splitter.push(chunk).toReversed()
        }
      }
    }
    return {
      read: async () => {
        try {
          const result = await read()
          if (result.done) this.#end(new AttestdError('stream-ended'))
          return result
        } catch (error) {
          this.#end(this.#errorOf(error, 'stream-ended'))
          throw error
        }
      },
      cancel: async () => body?.cancel(),
    }
  }

  /** The idle watchdog runs only while bytes are waited for, not while the consumer is busy. */
  async #chunk(body: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
    if (!body) return undefined
    const { clock, idleMs } = this.#options
    const { value } = await withinLimit(clock, idleMs, body.read(), () => {
      throw new AttestdError('stream-silent', `The stream sent no bytes for ${idleMs} ms.`)
    })
    return value
  }

  #errorOf(error: unknown, fallback: 'service-unreachable' | 'stream-ended'): AttestdError {
    if (error instanceof AttestdError) return error
    return new AttestdError(fallback, `${this.#options.route}: ${errorText(error)}`, { cause: error })
  }
}

interface SourceHandlers {
  readonly fetch: (url: string | URL, init: EventSourceFetchInit) => Promise<FetchLikeResponse>
  readonly onEvent: (event: MessageEvent) => void
  readonly onEnd: (event: ErrorEvent) => void
}

/**
 * Takes every event in one place, whatever its name, which listeners by name cannot. A server event may itself be named
 * `error` or `open`; only the class distinguishes it from the library's own.
 */
class SingleSource extends EventSource {
  readonly #handlers: SourceHandlers

  constructor(url: URL, handlers: SourceHandlers) {
    super(url, { fetch: handlers.fetch })
    this.#handlers = handlers
  }

  override dispatchEvent(event: Event): boolean {
    if (event instanceof MessageEvent) this.#handlers.onEvent(event)
    else if (event.type === 'error') this.#handlers.onEnd(event as ErrorEvent)
    return true
  }
}

import { createParser } from 'eventsource-parser'
import { type Dispatcher, fetch, type Response } from 'undici'
import type { Clock } from '../core/clock.js'
import { AttestdError, errorText } from '../core/errors.js'
import { withinLimit } from '../core/time-limit.js'
import { Turns } from '../core/turns/turns.js'
import { EventSplitter } from './event-splitter.js'
import { errorOfResponse, retryAfterOf } from './http-errors.js'

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
 * One connection, read as far as it is asked: the library parses the bytes of one event at a time, in short turns, and
 * nothing is taken from the wire before the last event was handled. Never reconnects by itself.
 */
export class SseConnection {
  readonly #options: SseConnectionOptions
  readonly #stop = new AbortController()
  readonly #items: AsyncGenerator<StreamItem, never>
  /** Monotonic time at which the headers of a good answer came; null before. */
  openedAt: number | null = null

  constructor(options: SseConnectionOptions) {
    this.#options = options
    this.#items = this.#read()
  }

  /** The next event, in order; the first call connects. @throws AttestdError why it ended, or the reason it was closed for */
  async next(): Promise<StreamItem> {
    return (await this.#items.next()).value
  }

  close(reason: unknown = new AttestdError('stream-ended')): void {
    this.#stop.abort(reason)
  }

  async *#read(): AsyncGenerator<StreamItem, never> {
    const body = await this.#open()
    const splitter = new EventSplitter(this.#options.maxEventBytes)
    const turns = new Turns()
    const decoder = new TextDecoder()
    const events: RawEvent[] = []
    const parser = createParser({
      onEvent: ({ event: name = 'message', data, id = '' }) => events.push({ name, data, id }),
    })
    for (;;) {
      const chunk = await this.#chunk(body)
      await turns.step(chunk.length)
      for (const { bytes, kind } of splitter.push(chunk)) {
        await turns.step(bytes.length)
        this.#stop.signal.throwIfAborted()
        if (kind === 'silence') yield 'alive'
        parser.feed(decoder.decode(bytes, { stream: true }))
        yield* events.splice(0)
      }
    }
  }

  async #open(): Promise<ReadableStreamDefaultReader<Uint8Array> | undefined> {
    const { clock, headerTimeoutMs, route } = this.#options
    const response = await withinLimit(clock, headerTimeoutMs, this.#request(), () => {
      throw new AttestdError('service-timeout', `${route} sent no headers in time.`)
    }).catch((error: unknown) => {
      throw this.#errorOf(error, 'service-unreachable')
    })
    this.#refuseUnlessStream(response)
    this.openedAt = clock.monotonic()
    return response.body?.getReader()
  }

  #request(): Promise<Response> {
    const { url, headers, dispatcher } = this.#options
    return fetch(url, {
      // A compressing edge would hold events back until its buffer is full.
      headers: { accept: 'text/event-stream', 'accept-encoding': 'identity', ...headers },
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

  /** The idle watchdog runs only while bytes are waited for, not while the consumer is busy. */
  async #chunk(body: ReadableStreamDefaultReader<Uint8Array> | undefined): Promise<Uint8Array> {
    const { clock, idleMs } = this.#options
    if (!body) throw new AttestdError('stream-ended')
    const { value } = await withinLimit(clock, idleMs, body.read(), () => {
      throw new AttestdError('stream-silent', `The stream sent no bytes for ${idleMs} ms.`)
    }).catch((error: unknown) => {
      throw this.#errorOf(error, 'stream-ended')
    })
    if (!value) throw new AttestdError('stream-ended')
    return value
  }

  #errorOf(error: unknown, fallback: 'service-unreachable' | 'stream-ended'): AttestdError {
    if (error instanceof AttestdError) return error
    return new AttestdError(fallback, `${this.#options.route}: ${errorText(error)}`, { cause: error })
  }
}

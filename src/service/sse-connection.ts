import { setImmediate as nextTurn } from 'node:timers/promises'
import { ErrorEvent, EventSource } from 'eventsource'
import { type Dispatcher, fetch, type Response } from 'undici'
import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
import { lookupText } from '../core/net/shared-lookup.js'
import { connectionText, tlsFix } from '../core/net/tls-failure.js'
import type { Reason } from '../core/reasons.js'
import { withinLimit } from '../core/time-limit.js'
import { EventMeter } from './event-meter.js'
import { HeartbeatPace } from './heartbeat-pace.js'
import { refuseUnlessStream } from './http-errors.js'
import { inTurns } from './long-answers.js'
import type { RawEvent, StreamSource } from './stream-source.js'

/** An event; bytes without one, such as a comment; or an event that is skipped: over the cap, or one large event of many. */
export type StreamItem = RawEvent | 'alive' | 'too-large' | 'unread'

export interface SseConnectionOptions {
  readonly source: StreamSource
  readonly clock: Clock
  /** Should have no timeouts of its own on headers and bodies. */
  readonly dispatcher: Dispatcher
  readonly userAgent: string
  /** Until the headers of the answer, milliseconds. */
  readonly headerTimeoutMs: number
  /** Longest silence, milliseconds, and less once the stream has sent some heartbeats; any byte ends it, comments too. */
  readonly idleMs: number
  /** Of the last event of the connection before; empty where there was none. */
  readonly lastId: string
}

/** Largest event, bytes; a larger open set comes by the list. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024
/** Bytes that EventSource gets in one turn of the event loop: unknown lines take it 10 ms per KiB. */
const SLICE_BYTES = 2 * 1024
/**
 * Of larger events, bytes, only one in a while, milliseconds, is read: a snapshot comes with every change of the open set,
 * and one of 3,000 assets takes some 80 ms. What was not read is in the list that follows.
 */
const LARGE_EVENT_BYTES = 64 * 1024
export const LARGE_EVERY_MS = 2_000
const BLANK_LINE = Buffer.from('\n\n')
/** EventSource wants it in lower case, which the service need not do. */
const EVENT_STREAM = new Headers({ 'content-type': 'text/event-stream' })

/**
 * One connection through one EventSource, which gets the next bytes only after the events of the last ones were handled.
 * EventSource never reconnects: it is closed before it could see an error or the end of the stream.
 */
export class SseConnection {
  readonly #options: SseConnectionOptions
  readonly #stop = new AbortController()
  readonly #meter = new EventMeter()
  readonly #pace: HeartbeatPace
  readonly #events: RawEvent[] = []
  /** What EventSource reads, fed by `#give` alone. */
  readonly #fed = new TransformStream<Uint8Array, Uint8Array>()
  readonly #feed = this.#fed.writable.getWriter()
  #source: EventSource | undefined
  #isSkipping = false
  /** When the last large event that is read became large, monotonic milliseconds. */
  #largeAt = Number.NEGATIVE_INFINITY
  /** Monotonic time at which the headers of a good answer came; null before. */
  openedAt: number | null = null

  constructor(options: SseConnectionOptions) {
    this.#options = options
    this.#pace = new HeartbeatPace(options.idleMs)
  }

  /** A heartbeat was read. */
  beat(): void {
    this.#pace.beat(this.#options.clock.monotonic())
  }

  /** Connects and returns items in order until the stream ends. @throws AttestdError why it broke off or was closed */
  async *items(): AsyncGenerator<StreamItem, void> {
    try {
      const body = await this.#open()
      for (;;) {
        const { idleMs } = this.#pace
        // Not while the consumer is busy: only bytes that are waited for can be missing.
        const late = () => new AttestdError('stream-silent', `The stream sent no bytes for ${idleMs} ms.`)
        const { value: chunk } = await this.#within(idleMs, body.read(), late, 'stream-ended')
        if (!chunk) return
        yield* this.#itemsIn(chunk)
      }
    } finally {
      this.close()
    }
  }

  close(reason: unknown = new AttestdError('stream-ended')): void {
    this.#stop.abort(reason)
    this.#source?.close()
  }

  #open(): Promise<ReadableStreamDefaultReader<Uint8Array>> {
    return new Promise((resolve, reject) => {
      const request = async () => {
        try {
          const { body, status, url } = await this.#request()
          resolve(body!.getReader())
          return { body: this.#fed.readable, headers: EVENT_STREAM, redirected: false, status, url }
        } catch (error) {
          this.close()
          reject(error)
          throw error
        }
      }
      this.#source = new EventSource(this.#options.source.url, { fetch: request })
      // Takes events of every name: a listener would miss those that the specification does not state.
      this.#source.dispatchEvent = (event) => this.#onEvent(event)
    })
  }

  async #request(): Promise<Response> {
    const { clock, dispatcher, headerTimeoutMs, lastId, source, userAgent } = this.#options
    const { signal } = this.#stop
    const signed = await source.sign(signal)
    const headers = {
      accept: 'text/event-stream',
      // A compressing edge would hold events back until its buffer is full.
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(lastId && { 'last-event-id': lastId }),
      ...signed,
    }
    // Not 'error': undici then reports only "unexpected redirect"; a 3xx answer is refused by its status.
    const sent = fetch(source.url, { headers, cache: 'no-store', redirect: 'manual', signal, dispatcher })
    const late = () => new AttestdError('service-timeout', `${source.route} sent no headers in time.`)
    const response = await this.#within(headerTimeoutMs, sent, late, 'service-unreachable')
    refuseUnlessStream(source.route, response, signed, clock.now())
    this.openedAt = clock.monotonic()
    return response
  }

  async *#itemsIn(chunk: Uint8Array): AsyncGenerator<StreamItem, void> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#isSkipping) {
        at += await this.#skip(chunk.subarray(at))
        continue
      }
      const slice = chunk.subarray(at, at + SLICE_BYTES)
      at += slice.length
      const before = this.#meter.bytes
      this.#meter.push(slice)
      const events = await this.#give(slice)
      yield* inTurns(events)
      if (events.length === 0 && this.#meter.bytes === 0) yield 'alive'
      const why = this.#whySkip(before)
      this.#isSkipping = why !== null
      if (why !== null) yield why
    }
  }

  /** @returns how many of these bytes belong to the event that is skipped */
  async #skip(bytes: Uint8Array): Promise<number> {
    const end = this.#meter.pushToEnd(bytes)
    if (end < 0) return bytes.length
    // Ends the event for the parser too, which holds its beginning.
    await this.#give(BLANK_LINE)
    this.#isSkipping = false
    return end
  }

  /** @param before bytes of the event before the last slice @returns why its rest is skipped; null where it is read */
  #whySkip(before: number): 'too-large' | 'unread' | null {
    const { bytes } = this.#meter
    if (bytes > MAX_EVENT_BYTES) return 'too-large'
    if (before > LARGE_EVENT_BYTES || bytes <= LARGE_EVENT_BYTES) return null
    const now = this.#options.clock.monotonic()
    if (now - this.#largeAt < LARGE_EVERY_MS) return 'unread'
    this.#largeAt = now
    return null
  }

  /** @returns the events of these bytes, which EventSource parses in the turn in which it gets them */
  async #give(bytes: Uint8Array): Promise<RawEvent[]> {
    void this.#feed.write(bytes)
    await nextTurn()
    this.#stop.signal.throwIfAborted()
    return this.#events.splice(0)
  }

  /** An event of the service is a MessageEvent, also one that it calls `open` or `error`. */
  #onEvent(event: Event): boolean {
    if (event instanceof MessageEvent) this.#events.push({ name: event.type, data: event.data, id: event.lastEventId })
    else if (event instanceof ErrorEvent) this.close(new AttestdError('stream-ended', event.message))
    return true
  }

  async #within<T>(ms: number, work: Promise<T>, late: () => AttestdError, otherwise: Reason): Promise<T> {
    try {
      return await withinLimit(this.#options.clock, ms, work, () => {
        throw late()
      })
    } catch (error) {
      const { route, url } = this.#options.source
      const message = `${route}: ${connectionText(error)}${lookupText(url.hostname)}`
      if (error instanceof AttestdError) throw error
      throw new AttestdError(otherwise, message, { cause: error, fix: tlsFix(error) })
    }
  }
}

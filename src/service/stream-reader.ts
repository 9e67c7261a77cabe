import type { Dispatcher } from 'undici'
import type { Clock, Random } from '../core/clock.js'
import { type AttestdError, toAttestdError } from '../core/errors.js'
import { type Backoff, backoffMs, honoredDelayMs } from '../core/retry.js'
import type { ServiceEvent } from './port.js'
import { type RawEvent, SseConnection, type StreamItem } from './sse-connection.js'

/** What a reader needs to know of the stream it reads; one for each API. */
export interface StreamSource {
  /** Method and path, for instance `GET /api/v1/attester/media/stream`: for messages. */
  readonly route: string
  /** Called before every connection, so that each gets fresh headers. */
  open(signal: AbortSignal): Promise<{ url: URL; headers: Readonly<Record<string, string>> }>
  /**
   * What an event says, in short turns; the next event waits for it.
   * @throws AttestdError event-malformed for a name or data that is not of the stated shape, event-too-large, or why the
   * service could not be asked for what the event only names
   */
  decode(event: RawEvent, signal: AbortSignal): Promise<readonly ServiceEvent[]>
  /** Called for a 401. @returns whether the cause was removed, so that the next attempt need not wait */
  recover?(signal: AbortSignal): Promise<boolean>
}

/** What both APIs' streams are read with; the waits between connections come from `backoff` and Retry-After. */
export interface StreamReaderOptions {
  readonly source: StreamSource
  readonly clock: Clock
  readonly random: Random
  /** Should have no timeouts of its own on headers and bodies. */
  readonly dispatcher: Dispatcher
  readonly userAgent: string
  /** Until the headers of the answer, milliseconds. */
  readonly headerTimeoutMs: number
  /** Longest silence, milliseconds; any byte ends it, comments too. */
  readonly idleMs: number
  /** @default MAX_EVENT_BYTES */
  readonly maxEventBytes?: number | undefined
  /** @default RECONNECT_BACKOFF */
  readonly backoff?: Backoff
  /** @default STABLE_MS */
  readonly stableMs?: number
}

/** @default largest event, bytes; room for some 20,000 assets */
const MAX_EVENT_BYTES = 16 * 1024 * 1024
/** @default waits between connections: soon after a single cut, seldom while the service is down */
const RECONNECT_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 }
/** @default how long a connection must have stood for the back-off to start over, milliseconds */
export const STABLE_MS = 10_000
/** Longest wait that a Retry-After can ask for, milliseconds. */
export const RETRY_AFTER_CAP_MS = 5 * 60_000
/** Longest event id that is sent back as Last-Event-ID, characters. */
const EVENT_ID_MAX = 1024

/**
 * Events of a stream until the signal aborts, over as many connections as it takes; never throws for trouble on the
 * wire but says so with a `trouble` event. Events come one after the other: the next is read only when the consumer
 * asks for it, so a slow consumer slows the sender and holds no more than one event in memory.
 */
export async function* readStream(options: StreamReaderOptions, signal: AbortSignal): AsyncGenerator<ServiceEvent> {
  const { source, clock, random, backoff = RECONNECT_BACKOFF, stableMs = STABLE_MS } = options
  const lastId = { value: '' }
  let failures = 0
  let recovered = false
  while (!signal.aborted) {
    const startedAt = clock.monotonic()
    const end: ConnectionEnd = yield* readConnection(options, lastId, signal)
    if (signal.aborted) return
    const stood = end.openedAt !== null && clock.monotonic() - Math.max(startedAt, end.openedAt) >= stableMs
    failures = stood ? 1 : failures + 1
    // Never twice in a row, so that a service whose time jumps about is not asked without a pause.
    recovered = !recovered && end.error.reason === 'service-unauthorized' && (await source.recover?.(signal)) === true
    const ownMs = recovered ? 0 : backoffMs(failures, backoff, random)
    const retryInMs = honoredDelayMs(end.error.retryAfterMs, ownMs, Math.max(RETRY_AFTER_CAP_MS, ownMs))
    yield { kind: 'trouble', reason: end.error.reason, message: end.error.message, retryInMs }
    // Only the signal ends a sleep early, and the loop asks it.
    await clock.sleep(retryInMs, signal).catch(() => {})
  }
}

interface ConnectionEnd {
  readonly error: AttestdError
  /** Monotonic milliseconds; null where no stream came. */
  readonly openedAt: number | null
}

/** The events of one connection; returns why it ended. */
async function* readConnection(
  options: StreamReaderOptions,
  lastId: { value: string },
  signal: AbortSignal,
): AsyncGenerator<ServiceEvent, ConnectionEnd> {
  let connection: SseConnection | undefined
  const onAbort = () => connection?.close(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    connection = await connect(options, lastId.value, signal)
    for (;;) {
      const item = await connection.next()
      if (item !== 'alive' && isSendable(item.id)) lastId.value = item.id
      yield* await eventsOf(options.source, item, signal)
    }
  } catch (error) {
    return { error: toAttestdError(error, 'stream-ended'), openedAt: connection?.openedAt ?? null }
  } finally {
    signal.removeEventListener('abort', onAbort)
    connection?.close()
  }
}

async function connect(options: StreamReaderOptions, lastId: string, signal: AbortSignal): Promise<SseConnection> {
  const { source, clock, dispatcher, headerTimeoutMs, idleMs, userAgent, maxEventBytes = MAX_EVENT_BYTES } = options
  const { url, headers } = await source.open(signal)
  signal.throwIfAborted()
  return new SseConnection({
    url,
    route: source.route,
    headers: { 'user-agent': userAgent, ...(lastId ? { 'last-event-id': lastId } : {}), ...headers },
    clock,
    dispatcher,
    headerTimeoutMs,
    idleMs,
    maxEventBytes,
  })
}

async function eventsOf(source: StreamSource, item: StreamItem, signal: AbortSignal): Promise<readonly ServiceEvent[]> {
  if (item === 'alive') return [{ kind: 'heartbeat' }]
  try {
    return await source.decode(item, signal)
  } catch (error) {
    const { reason, message } = toAttestdError(error, 'event-malformed')
    return [{ kind: 'trouble', reason, message }]
  }
}

/** Whether an event id can stand in a header. */
function isSendable(id: string): boolean {
  return id !== '' && id.length <= EVENT_ID_MAX && /^[\x20-\x7e]+$/.test(id)
}

import type { Random } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import { type Backoff, backoffMs, honoredDelayMs } from '../core/retry.js'
import type { ServiceEvent } from './port.js'
import { MAX_EVENT_BYTES, SseConnection, type SseConnectionOptions, type StreamItem } from './sse-connection.js'

/** What both APIs' streams are read with; the waits between connections come from the back-off and Retry-After. */
export interface StreamReaderOptions extends Omit<SseConnectionOptions, 'lastId'> {
  readonly random: Random
}

/** Waits between connections: soon after a single cut, seldom while the service is down. */
const RECONNECT_BACKOFF: Backoff = { baseMs: 500, maxMs: 30_000 }
/** How long a connection must have stood for the back-off to start over, milliseconds. */
export const STABLE_MS = 10_000
/** Longest wait that a Retry-After can ask for, milliseconds. */
export const RETRY_AFTER_CAP_MS = 5 * 60_000
/** Longest event id that is sent back as Last-Event-ID, characters. */
const EVENT_ID_MAX = 1024

/**
 * Events of a stream until the signal aborts, over as many connections as it takes; never throws for trouble on the
 * wire but reports it with a `trouble` event. Events come one after the other: the next is read only when the consumer
 * asks for it, so a slow consumer slows the sender and holds no more than one event in memory.
 */
export async function* readStream(options: StreamReaderOptions, signal: AbortSignal): AsyncGenerator<ServiceEvent> {
  const { source, clock, random } = options
  const lastId = { value: '' }
  let failures = 0
  let recovered = false
  while (!signal.aborted) {
    const end: ConnectionEnd = yield* readConnection(options, lastId, signal)
    if (signal.aborted) return
    const stood = end.openedAt !== null && clock.monotonic() - end.openedAt >= STABLE_MS
    failures = stood ? 1 : failures + 1
    // Never twice in a row, so that a service whose time jumps about is not asked without a pause.
    recovered = !recovered && end.error.reason === 'service-unauthorized' && (await source.recover?.(signal)) === true
    const ownMs = recovered ? 0 : backoffMs(failures, RECONNECT_BACKOFF, random)
    const retryInMs = honoredDelayMs(end.error.retryAfterMs, ownMs, RETRY_AFTER_CAP_MS)
    yield { kind: 'trouble', reason: end.error.reason, message: end.error.message, retryInMs }
    // Only the signal ends a sleep early, and the loop asks it.
    await clock.sleep(retryInMs, signal).catch(() => {})
  }
}

/** Why a connection ended, and when it stood, monotonic milliseconds; null where no stream came. */
type ConnectionEnd = { readonly error: AttestdError; readonly openedAt: number | null }

/** The events of one connection; returns why it ended. */
async function* readConnection(
  options: StreamReaderOptions,
  lastId: { value: string },
  signal: AbortSignal,
): AsyncGenerator<ServiceEvent, ConnectionEnd> {
  const connection = new SseConnection({ ...options, lastId: lastId.value })
  const onAbort = () => connection.close(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    for await (const item of connection.items()) {
      signal.throwIfAborted()
      if (typeof item === 'object' && isSendable(item.id)) lastId.value = item.id
      for (const event of await eventsOf(options, item, signal)) {
        if (event.kind === 'heartbeat') connection.beat()
        yield event
      }
    }
    return { error: new AttestdError('stream-ended'), openedAt: connection.openedAt }
  } catch (error) {
    return { error: toAttestdError(error, 'stream-ended'), openedAt: connection.openedAt }
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function eventsOf(
  { source }: StreamReaderOptions,
  item: StreamItem,
  signal: AbortSignal,
): Promise<readonly ServiceEvent[]> {
  if (item === 'alive') return [{ kind: 'heartbeat' }]
  if (item === 'unread') return [{ kind: 'unread' }]
  try {
    if (item !== 'too-large') return await source.decode(item, signal)
    throw new AttestdError('event-too-large', `An event of more than ${MAX_EVENT_BYTES} bytes was skipped.`)
  } catch (error) {
    const { reason, message } = toAttestdError(error, 'event-malformed')
    return [{ kind: 'trouble', reason, message }]
  }
}

const isSendable = (id: string): boolean => id !== '' && id.length <= EVENT_ID_MAX && /^[\x20-\x7e]+$/.test(id)

import { Redis, type RedisOptions } from 'ioredis'
import type { Random } from '../../core/clock.js'
import { backoffMs } from '../../core/retry.js'

/** Pace of reconnecting: quick at first, since most outages are restarts, then every two to four seconds. */
const RECONNECT = { baseMs: 100, maxMs: 4000 }
/** A connection without an answer for this long is dropped and made again. Above BullMQ's blocking reads (10 s). */
const SOCKET_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
/** A command of a queue fails after this; it may still take effect, which is harmless for all that are sent. */
const COMMAND_TIMEOUT_MS = 15_000
/** A command of a queue fails after so many reconnects in vain, so that commands do not pile up in an outage. */
const PRODUCER_RECONNECTS = 5

/** For workers: commands wait until Redis is back, for ever. */
export function makeConsumer(url: string, random: Random): Redis {
  return new Redis(url, { ...common(random), maxRetriesPerRequest: null })
}

/** For queues: commands fail when Redis stays away. */
export function makeProducer(url: string, random: Random): Redis {
  const limits = { maxRetriesPerRequest: PRODUCER_RECONNECTS, commandTimeout: COMMAND_TIMEOUT_MS }
  return new Redis(url, { ...common(random), ...limits })
}

function common(random: Random) {
  return {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: 10_000,
    retryStrategy: (times: number) => backoffMs(times, RECONNECT, random),
    // After a failover the old primary answers READONLY: only a new connection finds the new one.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
  } satisfies RedisOptions
}

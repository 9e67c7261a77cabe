import { createRedisBackend, type IQueueBackend } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Clock, Random } from '../../core/clock.js'
import { AttestdError, errorText } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { backoffMs } from '../../core/retry.js'
import type { Backing } from '../backing.js'
import { DEFAULT_START_WAIT_MS } from '../engine-options.js'
import { checkRedis, isRefusal } from './redis-checks.js'
import { makeConsumer, makeProducer } from './redis-connection.js'
import { saveInRedis } from './save-data.js'
import { redisClaims, redisTexts } from './shared.js'

/** Where Redis is; only `shown` may stand in a log line or an error. */
export interface RedisTarget {
  readonly url: string
  /** The URL without secrets. */
  readonly shown: string
}

/** `startWaitMs` is how long a Redis that does not answer is waited for, ms; `signal` ends that wait. */
export interface RedisOpenOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly startWaitMs?: number
  readonly signal?: AbortSignal | undefined
}

/** Pace of trying to connect at start. */
const START_BACKOFF = { baseMs: 250, maxMs: 4000 }

/**
 * Connects to Redis, waiting for one that is still starting.
 * @throws AttestdError queue-unreachable after `startWaitMs`, queue-misconfigured where Redis refuses us or is not safe to use
 */
export async function openRedis(target: RedisTarget, options: RedisOpenOptions): Promise<Backing> {
  const producer = await connectPatiently(() => makeProducer(target.url, options.random), target, options)
  const consumer = makeConsumer(target.url, options.random)
  const listeners = new Set<(error: AttestdError) => void>()
  for (const connection of [producer, consumer]) {
    connection.on('error', (error: Error) => {
      for (const listener of listeners) listener(unreachable(target, error))
    })
  }
  try {
    await checkRedis(producer, target.shown, options.log)
    await consumer.connect()
  } catch (error) {
    producer.disconnect()
    consumer.disconnect()
    throw error instanceof AttestdError ? error : unreachable(target, error)
  }
  return redisBacking(producer, consumer, target, listeners)
}

async function connectPatiently(make: () => Redis, target: RedisTarget, options: RedisOpenOptions): Promise<Redis> {
  const { clock, random, log, signal, startWaitMs = DEFAULT_START_WAIT_MS } = options
  const deadline = clock.monotonic() + startWaitMs
  for (let tries = 1; ; tries++) {
    // A fresh one for each try: one that was asked to disconnect while it had no socket would take its next loss for
    // a goodbye of ours and never connect again.
    const connection = make()
    const failure = await connectOnce(connection)
    if (failure === null) return connection
    if (isRefusal(failure)) {
      throw new AttestdError(
        'queue-misconfigured',
        `Redis at ${target.shown} refused the connection: ${errorText(failure)}`,
      )
    }
    const pauseMs = backoffMs(tries, START_BACKOFF, random)
    if (clock.monotonic() + pauseMs >= deadline) throw unreachable(target, failure)
    if (tries === 1) log.warn({ redis: target.shown, err: failure }, 'redis did not answer; it will be tried again')
    await clock.sleep(pauseMs, signal)
  }
}

/** One try to connect. ioredis reports the cause only by event and would go on by itself. @returns what went wrong */
async function connectOnce(connection: Redis): Promise<Error | null> {
  let cause: Error | undefined
  const onError = (error: Error) => {
    cause ??= error
  }
  connection.on('error', onError)
  try {
    await connection.connect()
    await connection.ping()
    return null
  } catch (error) {
    connection.disconnect()
    return cause ?? (error instanceof Error ? error : new Error(String(error)))
  } finally {
    connection.off('error', onError)
  }
}

function redisBacking(
  producer: Redis,
  consumer: Redis,
  target: RedisTarget,
  listeners: Set<(error: AttestdError) => void>,
): Backing {
  let closing = false
  const lost = new Promise<Error>((resolve) => {
    for (const connection of [producer, consumer]) {
      // Redis may always come back; but should a connection stop trying, only a restart helps.
      connection.once('end', () => {
        if (!closing) resolve(unreachable(target, new Error('the connection ended for good')))
      })
    }
  })
  return {
    kind: 'redis',
    producer,
    consumer,
    factory: (name, options, extra): IQueueBackend => createRedisBackend(name, options, extra),
    saveData: (job, json) => saveInRedis(consumer, job, json),
    claims: redisClaims(producer),
    texts: redisTexts(producer),
    ping: async () => {
      // A command would wait in line until Redis is back.
      if (producer.status !== 'ready') throw unreachable(target, new Error(`the connection is ${producer.status}`))
      await producer.ping()
    },
    onTrouble: (listener) => void listeners.add(listener),
    lost,
    close: async () => {
      closing = true
      listeners.clear()
      producer.disconnect()
      consumer.disconnect()
    },
  }
}

function unreachable({ shown }: RedisTarget, error: unknown): AttestdError {
  return new AttestdError('queue-unreachable', `Redis at ${shown} does not answer: ${errorText(error)}`, {
    cause: error,
  })
}

import type { IQueueBackend } from 'bullmq'
import { Cluster, type Redis } from 'ioredis'
import type { Clock } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { redisFleet } from '../../fleet/redis-fleet.js'
import type { Backing } from '../backing.js'
import { createRedisBackend } from '../bullmq.js'
import type { Claims, SharedTexts } from '../claims.js'
import { askEngine, engineError } from '../engine-error.js'
import { checkPorts, connectPatiently, type RedisOpenOptions } from './connect-patiently.js'
import { type LonePrimaryDoubt, lonePrimaryDoubt } from './lone-primary.js'
import type { RedisTarget } from './redis-access.js'
import { checkNoEviction, checkRedis, checkRights } from './redis-checks.js'
import { makeConsumer, makeProducer, type RedisClient } from './redis-connection.js'
import { redisTrouble } from './redis-refusal.js'
import { addToRedis, saveInRedis, swapInRedis } from './save-data.js'

/**
 * Connects to Redis, waiting for one that is still starting.
 * @throws AttestdError queue-unreachable after `startWaitMs`; at once the reason why Redis does not let us in or is not
 *   safe to use
 */
export async function openRedis(target: RedisTarget, options: RedisOpenOptions): Promise<Backing> {
  const producer = await connectPatiently(() => makeProducer(target, options.random), target, options)
  const consumer = makeConsumer(target, options.random)
  const isDoubted = lonePrimaryDoubt(consumer, target, options.clock)
  const listeners = new Set<(error: AttestdError) => void>()
  // Why there is no connection, as after a change of the password.
  let trouble: AttestdError | null = null
  producer.on('ready', () => {
    trouble = null
  })
  producer.on('error', (error) => {
    trouble = redisTrouble(error, target)
  })
  for (const connection of [producer, consumer]) {
    onTrouble(connection, (error) => {
      for (const listener of listeners) listener(redisTrouble(error, target))
    })
  }
  try {
    await checkRedis(producer, target, options.log)
    await checkRights(producer, target, options.prefix)
    await consumer.connect()
  } catch (error) {
    producer.disconnect()
    consumer.disconnect()
    throw error instanceof AttestdError ? error : redisTrouble(error, target)
  }
  return redisBacking(producer, consumer, {
    target,
    prefix: options.prefix,
    clock: options.clock,
    listeners,
    isDoubted,
    trouble: () => trouble,
  })
}

/** A connection that closes may mean a failover, which loses the last writes: that is trouble even without an error. */
function onTrouble(connection: RedisClient, report: (error: Error) => void): void {
  const closed = () => report(new Error('the connection closed'))
  connection.on('error', report)
  connection.on('close', closed)
  if (!(connection instanceof Cluster)) return
  connection.on('+node', (node: Redis) => onPrimaryLost(node, closed))
  for (const node of connection.nodes()) onPrimaryLost(node, closed)
}

/** A cluster reports no error while other nodes answer. Of a node that never was connected nothing is lost. */
function onPrimaryLost(node: Redis, lost: () => void): void {
  const watch = () =>
    node.once('end', () => {
      if (!node.options.readOnly) lost()
    })
  if (node.status === 'ready') watch()
  else node.once('ready', watch)
}

/** How long Redis keeps what a ping wrote, milliseconds. */
const PING_KEPT_MS = 60_000

/** Of a connection that Redis accepts and closes: why, the client does not report. */
const CLOSED = /EPIPE|ECONNRESET/

interface RedisParts {
  readonly target: RedisTarget
  readonly prefix: string
  readonly clock: Clock
  readonly listeners: Set<(error: AttestdError) => void>
  readonly isDoubted: LonePrimaryDoubt
  readonly trouble: () => AttestdError | null
}

function redisBacking(
  producer: RedisClient,
  consumer: RedisClient,
  { target, prefix, clock, listeners, isDoubted, trouble }: RedisParts,
): Backing {
  let closing = false
  const lost = new Promise<Error>((resolve) => {
    for (const connection of [producer, consumer]) {
      // Redis may always come back; but should a connection stop trying, only a restart helps.
      connection.once('end', () => {
        if (!closing) resolve(redisTrouble(new Error('the connection ended for good'), target))
      })
    }
  })
  return {
    kind: 'redis',
    producer,
    consumer,
    factory: (name, options, extra): IQueueBackend => createRedisBackend(name, options, extra),
    saveData: (job, json) => saveInRedis(consumer, isDoubted, job, json),
    swapData: (job, before, json) => swapInRedis(producer, job, before, json),
    add: (queue, data, options) => addToRedis(producer, queue, data, options),
    fleet: redisFleet(producer, prefix, engineError),
    claims: redisClaims(producer, prefix),
    texts: redisTexts(producer, prefix),
    ping: async () => {
      // A command would wait in line until Redis is back.
      if (producer.status !== 'ready') {
        const found = trouble()
        if (found === null || CLOSED.test(found.message)) await checkPorts(target, clock)
        throw found ?? redisTrouble(new Error(`the connection is ${producer.status}`), target)
      }
      // A write, which a replica or a full Redis refuses, with a key: on a cluster the node of our keys must answer.
      await askEngine(() => producer.set(`${prefix}:ping`, '', 'PX', PING_KEPT_MS))
      await askEngine(() => checkNoEviction(producer, target))
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

/** KEYS claim; ARGV owner, milliseconds. */
const TAKE = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`

/** KEYS claim; ARGV owner. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 0`

/** Claims in Redis: one key each, which expires. */
export function redisClaims(redis: RedisClient, prefix: string): Claims {
  const name = (key: string) => `${prefix}:claim:${key}`
  return {
    take: (key, owner, ms) => askEngine(async () => (await redis.eval(TAKE, 1, name(key), owner, ms)) === 1),
    release: (key, owner) => askEngine(async () => void (await redis.eval(RELEASE, 1, name(key), owner))),
  }
}

/** Texts in Redis: one key each, which expires. */
function redisTexts(redis: RedisClient, prefix: string): SharedTexts {
  const name = (key: string) => `${prefix}:text:${key}`
  return {
    get: (key) => askEngine(() => redis.get(name(key))),
    set: (key, text, ms) => askEngine(async () => void (await redis.set(name(key), text, 'PX', ms))),
  }
}

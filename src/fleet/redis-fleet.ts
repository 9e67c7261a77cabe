import type { Cluster, Redis } from 'ioredis'
import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { type FleetStore, MAX_CARD_BYTES, MAX_CARDS, MAX_RECORDS, REMEMBERED_MS } from './fleet-store.js'

/** The clock of Redis is the one that all daemons share, in ms. */
const NOW = "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000)\n"

/** KEYS texts by id, times by id; ARGV id, text, how long a run is remembered (ms). */
const ANNOUNCE = `${NOW}
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], now, ARGV[1])
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[3])) do
  redis.call('HDEL', KEYS[1], old)
  redis.call('ZREM', KEYS[2], old)
end`

/** KEYS as above; ARGV most runs, most bytes of a text. @returns for each run: id, text, how long ago (ms) */
const ANNOUNCED = `${NOW}
local found = {}
local seen = redis.call('ZREVRANGE', KEYS[2], 0, ARGV[1] - 1, 'WITHSCORES')
for i = 1, #seen, 2 do
  local text = redis.call('HSTRLEN', KEYS[1], seen[i]) <= tonumber(ARGV[2]) and redis.call('HGET', KEYS[1], seen[i])
  if text then found[#found + 1] = { seen[i], text, now - seen[i + 1] } end
end
return found`

const announcedReply = z.array(z.tuple([z.string(), z.string(), z.number()]))

/** The fleet of a Redis queue; fails at once while Redis is away. @param toError client errors in our reasons */
export function redisFleet(
  redis: Redis | Cluster,
  prefix: string,
  toError: (error: unknown) => AttestdError,
): FleetStore {
  const texts = `${prefix}:fleet:daemons`
  const times = `${prefix}:fleet:seen`
  const records = `${prefix}:fleet:recent`
  const order = `${prefix}:fleet:order`
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    // A command would wait in line until Redis is back.
    if (redis.status !== 'ready') throw new AttestdError('queue-unreachable', `The connection is ${redis.status}.`)
    try {
      return await work()
    } catch (error) {
      throw toError(error)
    }
  }
  return {
    announce: (id, text) =>
      ask(async () => void (await redis.eval(ANNOUNCE, 2, texts, times, id, text, REMEMBERED_MS))),
    leave: (id) => ask(async () => void (await redis.multi().hdel(texts, id).zrem(times, id).exec())),
    announced: () =>
      ask(async () => {
        const reply = announcedReply.parse(await redis.eval(ANNOUNCED, 2, texts, times, MAX_CARDS, MAX_CARD_BYTES))
        return reply.map(([id, text, agoMs]) => ({ id, text, agoMs }))
      }),
    append: (texts) =>
      ask(
        async () =>
          void (await redis
            .multi()
            .lpush(records, ...texts)
            .ltrim(records, 0, MAX_RECORDS - 1)
            .exec()),
      ),
    recent: (limit) => ask(() => redis.lrange(records, 0, limit - 1)),
    order: () => ask(() => redis.get(order)),
    setOrder: (text) => ask(async () => void (await redis.set(order, text))),
  }
}

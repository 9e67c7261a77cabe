import type { Redis } from 'ioredis'
import type { Claims, SharedTexts } from '../claims.js'

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
export function redisClaims(redis: Redis): Claims {
  return {
    take: async (key, owner, ms) => (await redis.eval(TAKE, 1, key, owner, ms)) === 1,
    release: async (key, owner) => void (await redis.eval(RELEASE, 1, key, owner)),
  }
}

/** Texts in Redis: one key each, which expires. */
export function redisTexts(redis: Redis): SharedTexts {
  return {
    get: (key) => redis.get(key),
    set: async (key, text, ms) => void (await redis.set(key, text, 'PX', ms)),
  }
}

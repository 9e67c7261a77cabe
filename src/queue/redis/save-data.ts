import type { Redis } from 'ioredis'
import type { HeldJob } from '../backing.js'

/**
 * Compares, sets and renews in one step, in BullMQ's own keys: the job's hash, its lock, and the set of jobs that look
 * stalled. KEYS job, lock, stalled; ARGV token, lock milliseconds, data, id.
 */
const SAVE = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('SREM', KEYS[3], ARGV[4])
redis.call('HSET', KEYS[1], 'data', ARGV[3])
return 1`

/**
 * Replaces the data of a job where the token still holds its lock, and renews the lock. The command may wait for Redis
 * to come back: late, it changes nothing that somebody else has taken over.
 * @param json the data as JSON text
 * @returns whether the lock was held
 */
export async function saveInRedis(redis: Redis, { queue, prefix, id, token, lockMs }: HeldJob, json: string) {
  const base = `${prefix}:${queue}`
  const job = `${base}:${id}`
  const saved = await redis.eval(SAVE, 3, job, `${job}:lock`, `${base}:stalled`, token, lockMs, json, id)
  return saved === 1
}

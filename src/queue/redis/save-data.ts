import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { AddedOptions, BullQueue, HeldJob } from '../backing.js'
import type { LonePrimaryDoubt } from './lone-primary.js'
import type { RedisClient } from './redis-connection.js'

/**
 * Compares, sets and renews in one step, in BullMQ's own keys: the job's hash, its lock, and the set of jobs that look
 * stalled. KEYS job, lock, stalled; ARGV token, lock milliseconds, data, id. Returns how many replicas are in step, -1
 * where the lock is not held.
 */
const SAVE = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] or redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('SREM', KEYS[3], ARGV[4])
redis.call('HSET', KEYS[1], 'data', ARGV[3])
return select(2, string.gsub(redis.call('INFO', 'replication'), 'state=online', ''))`

/**
 * Compares and sets in one step, unless a worker holds the job or it has ended. KEYS job, lock; ARGV data before, data
 * after.
 */
const SWAP = `
if redis.call('HGET', KEYS[1], 'data') ~= ARGV[1] then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 or redis.call('HEXISTS', KEYS[1], 'finishedOn') == 1 then return 0 end
redis.call('HSET', KEYS[1], 'data', ARGV[2])
return 1`

/** Longest wait for the replicas at a time, milliseconds: other commands of the connection wait behind it. */
const CONFIRM_MS = 500

/**
 * Replaces the data of a job where the token still holds its lock, and renews the lock. The command may wait for Redis
 * to come back: late, it changes nothing that somebody else has taken over. Returns when every replica that is in step
 * has the data, and with it all that was written before, so that a failover does not undo what the caller goes on to
 * do. A replica that hangs is waited for until Redis drops it (`repl-timeout`); where there is none, `isDoubted` is asked.
 * @param json the data as JSON text
 * @returns whether the lock was held
 */
export async function saveInRedis(
  redis: RedisClient,
  isDoubted: LonePrimaryDoubt,
  job: HeldJob,
  json: string,
): Promise<boolean> {
  const { queue, prefix, id, token, lockMs } = job
  const base = `${prefix}:${queue}`
  const key = `${base}:${id}`
  const script = [SAVE, 3, key, `${key}:lock`, `${base}:stalled`, token, lockMs, json, id] as const
  for (;;) {
    const replicas = Number(await redis.eval(...script))
    if (replicas < 0) return false
    if (replicas === 0) {
      if (await isDoubted()) continue
      return true
    }
    // WAIT is about the writes of its own connection, so it goes out in one piece with the write.
    const [, waited] =
      (await redis
        .pipeline()
        .eval(...script)
        .wait(replicas, CONFIRM_MS)
        .exec()) ?? []
    if (waited?.[0]) throw waited[0]
    if (Number(waited?.[1]) >= replicas) return true
  }
}

export async function swapInRedis(
  redis: RedisClient,
  { id, prefix, queue }: Omit<HeldJob, 'lockMs' | 'token'>,
  before: string,
  json: string,
): Promise<boolean> {
  const key = `${prefix}:${queue}:${id}`
  return (await redis.eval(SWAP, 2, key, `${key}:lock`, before, json)) === 1
}

/** The options as BullMQ keeps them. */
const marked = z.object({ addMark: z.string().optional() })

/** See `Backing.add`. BullMQ's own answer is the same for every add of an id, so an option of the job marks the one that made it. */
export async function addToRedis(redis: RedisClient, queue: BullQueue, data: unknown, options: AddedOptions) {
  const addMark = randomUUID()
  await queue.add(queue.name, data, { ...options, addMark } as AddedOptions)
  const kept = await redis.hget(queue.toKey(options.jobId), 'opts')
  // Gone already means that it was taken and dropped, so it was new.
  return kept === null || marked.parse(JSON.parse(kept)).addMark === addMark
}

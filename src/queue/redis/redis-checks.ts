import { createHash } from 'node:crypto'
import { Cluster, type Redis } from 'ioredis'
import { AttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { RedisTarget } from './redis-access.js'
import type { RedisClient } from './redis-connection.js'
import { refusalOf } from './redis-refusal.js'

const MIN_VERSION = [6, 2] as const

type Checked = Pick<RedisTarget, 'shape' | 'shown'>

/**
 * Checks that Redis is of the shape that the URL states, and what BullMQ needs and only warns about: the version, and
 * that Redis never evicts jobs to free memory. Of a cluster, every primary that answers.
 * @throws AttestdError queue-misconfigured, queue-address-wrong, queue-unreachable for a replica
 */
export function checkRedis(redis: RedisClient, target: Checked, log: Log): Promise<void> {
  return forEachServer(redis, (server) => checkServer(server, target, log))
}

/** Whether Redis still evicts nothing: after a failover another server answers. @throws AttestdError queue-misconfigured */
export function checkNoEviction(redis: RedisClient, { shown }: Checked): Promise<void> {
  return forEachServer(redis, async (server) => {
    refuseEviction(parseInfo(await server.info('memory')).get('maxmemory_policy'), shown)
  })
}

/** Every command that scripts of BullMQ and of attestd use, on a free key K. */
const COMMANDS = [
  'SET K 0, GET K, EXISTS K, INCR K, PEXPIRE K 9, PTTL K, DEL K, TIME, INFO replication',
  'HSET K a 0, HMSET K a 0, HINCRBY K a 1, HGET K a, HMGET K a, HGETALL K, HEXISTS K a, HSTRLEN K a, HDEL K a',
  'RPUSH K a, LPUSH K a, LLEN K, LINDEX K 0, LRANGE K 0 0, LPOS K a, RPOPLPUSH K K, LREM K 1 a, LTRIM K 1 0',
  'SADD K a, SCARD K, SISMEMBER K a, SMEMBERS K, SREM K a, XADD K * a 0, XTRIM K MAXLEN 0, DEL K',
  'ZADD K 0 a, ZCARD K, ZCOUNT K 0 1, ZSCORE K a, ZRANGE K 0 0, ZRANGEBYSCORE K 0 1, ZREVRANGE K 0 0',
  'ZREVRANGEBYSCORE K 1 0, ZREMRANGEBYRANK K 1 1, ZREM K a, ZPOPMIN K',
].join()
/** KEYS a free key; ARGV `COMMANDS`. */
const RUN_EACH = `
for call in ARGV[1]:gmatch('[^,]+') do
  local words = {}
  for word in call:gmatch('%S+') do words[#words + 1] = word == 'K' and KEYS[1] or word end
  local reply = redis.pcall(unpack(words))
  if type(reply) == 'table' and reply.err then return redis.error_reply(reply.err .. ' (' .. words[1] .. ')') end
end`
const BRIEFLY_S = 0.01

/**
 * Uses each right that an ACL may withhold and jobs need. Whether Redis takes writes is for a ping.
 * @throws AttestdError queue-unauthorized, queue-misconfigured
 */
export async function checkRights(redis: RedisClient, target: RedisTarget, prefix: string): Promise<void> {
  const key = `${prefix}:rights`
  try {
    await redis.eval(RUN_EACH, 1, key, COMMANDS)
    await redis.evalsha(createHash('sha1').update(RUN_EACH).digest('hex'), 1, key, COMMANDS)
    await redis.bzpopmin(key, BRIEFLY_S)
    await redis.multi().exists(key).exec()
    await redis.wait(0, 1)
  } catch (error) {
    const refusal = refusalOf(error, target)
    if (refusal) throw refusal
  }
}

async function forEachServer(redis: RedisClient, check: (server: Redis) => Promise<void>): Promise<void> {
  if (!(redis instanceof Cluster)) return check(redis)
  for (const node of redis.nodes('master')) {
    try {
      await check(node)
    } catch (error) {
      // A primary of other keys may be away without harm to ours.
      if (error instanceof AttestdError) throw error
    }
  }
}

async function checkServer(redis: Redis, { shape, shown }: Checked, log: Log): Promise<void> {
  const info = parseInfo(await redis.info())
  checkMode(info, shape, shown)
  checkRole(info, shape, shown)
  checkVersion(info, shown)
  await checkEviction(redis, info, shown, log)
  if (info.get('aof_enabled') === '0') {
    log.warn({ redis: shown }, 'redis had no append-only file; a crash would lose the jobs since its last snapshot')
  }
}

/** A Sentinel or a node of a cluster greets like any Redis, and would refuse the first job. */
function checkMode(info: ReadonlyMap<string, string>, shape: RedisTarget['shape'], shown: string): void {
  const mode = info.get('redis_mode') ?? info.get('server_mode')
  if (shape !== 'single' || (mode !== 'sentinel' && mode !== 'cluster')) return
  const found =
    mode === 'sentinel'
      ? 'a Sentinel: write the queue URL as redis+sentinel://HOST:PORT/NAME'
      : 'a node of a cluster: write the queue URL as redis+cluster://HOST:PORT'
  throw new AttestdError('queue-address-wrong', `Redis at ${shown} is ${found}.`)
}

/** No reason to give up for good: a managed Redis may fail over at this moment. */
function checkRole(info: ReadonlyMap<string, string>, shape: RedisTarget['shape'], shown: string): void {
  if (shape !== 'single' || info.get('role') !== 'slave') return
  throw new AttestdError('queue-unreachable', `Redis at ${shown} is a replica, which refuses writes.`, {
    fix: 'Name the primary in ATTESTD_QUEUE_URL, or its Sentinels with redis+sentinel://.',
  })
}

function checkVersion(info: ReadonlyMap<string, string>, shown: string): void {
  // Valkey states the Redis version that it is compatible with, and its own next to it.
  const version = info.get('redis_version') ?? info.get('valkey_version') ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor, minMinor] = MIN_VERSION
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  throw new AttestdError('queue-misconfigured', `Redis at ${shown} is version ${version}; 6.2 or later is needed.`)
}

async function checkEviction(redis: Redis, info: ReadonlyMap<string, string>, shown: string, log: Log) {
  const policy = info.get('maxmemory_policy') ?? (await configuredPolicy(redis))
  if (policy === null) {
    log.warn({ redis: shown }, 'maxmemory-policy of redis could not be read; it must be noeviction')
    return
  }
  refuseEviction(policy, shown)
}

function refuseEviction(policy: string | undefined, shown: string): void {
  if (policy === undefined || policy === 'noeviction') return
  throw new AttestdError(
    'queue-misconfigured',
    `Redis at ${shown} has maxmemory-policy ${policy}, so it may drop jobs; set maxmemory-policy noeviction.`,
  )
}

/** @returns null where the answer is forbidden, as managed services do */
async function configuredPolicy(redis: Redis): Promise<string | null> {
  try {
    const answer: unknown = await redis.config('GET', 'maxmemory-policy')
    return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null
  } catch {
    return null
  }
}

/** The `name:value` lines of INFO. */
function parseInfo(text: string): ReadonlyMap<string, string> {
  const entries = text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^(\w+):(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return new Map(entries)
}

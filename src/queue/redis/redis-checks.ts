import type { Redis } from 'ioredis'
import { AttestdError, errorText } from '../../core/errors.js'
import type { Log } from '../../core/log.js'

const MIN_VERSION = [6, 2] as const

/** Refusals that waiting does not cure: wrong password, missing rights, no such database, TLS that does not match. */
const REFUSALS =
  /NOAUTH|WRONGPASS|NOPERM|invalid password|ERR AUTH|DB index|certificate|self.signed|wrong version number|SSL routines/i

/** Whether an error of a connection means that Redis is there but does not let us in. */
export function isRefusal(error: unknown): boolean {
  return REFUSALS.test(errorText(error))
}

/**
 * Checks what BullMQ needs and only warns about: the version, and that Redis never evicts jobs to free memory.
 * @throws AttestdError queue-misconfigured
 */
export async function checkRedis(redis: Redis, shown: string, log: Log): Promise<void> {
  const info = parseInfo(await redis.info())
  checkVersion(info, shown)
  await checkEviction(redis, info, shown, log)
  if (info.get('aof_enabled') === '0') {
    log.warn(
      { redis: shown },
      'redis kept no append-only file; a crash of it would lose the jobs since its last snapshot',
    )
  }
}

function checkVersion(info: ReadonlyMap<string, string>, shown: string): void {
  // Valkey states the Redis version that it is compatible with, and its own beside it.
  const version = info.get('redis_version') ?? info.get('valkey_version') ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [minMajor, minMinor] = MIN_VERSION
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return
  throw new AttestdError('queue-misconfigured', `Redis at ${shown} is version ${version}; 6.2 or later is needed.`)
}

async function checkEviction(redis: Redis, info: ReadonlyMap<string, string>, shown: string, log: Log) {
  const policy = info.get('maxmemory_policy') ?? (await configuredPolicy(redis))
  if (policy === null) {
    log.warn({ redis: shown }, 'could not read maxmemory-policy of redis; it must be noeviction')
    return
  }
  if (policy === 'noeviction') return
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

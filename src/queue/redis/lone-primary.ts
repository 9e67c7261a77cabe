import type { Clock } from '../../core/clock.js'
import type { RedisTarget } from './redis-access.js'
import type { RedisClient } from './redis-connection.js'

/** While true, what a primary without replicas received may be lost: it resolves after a pause then, at once when false. */
export type LonePrimaryDoubt = () => Promise<boolean>

/**
 * How long after a connection was made a primary without replicas is doubted, ms. One that died and came back at once takes
 * itself for the primary until Sentinel makes a replica of it, ten seconds later, which ends its connections.
 */
const DOUBT_MS = 15_000
const PAUSE_MS = 500

/**
 * The doubt about the server behind a connection. A node of a cluster that comes back asks the others first, and a
 * single Redis has no other in its place: neither is doubted.
 */
export function lonePrimaryDoubt(
  redis: Pick<RedisClient, 'on'>,
  { shape }: Pick<RedisTarget, 'shape'>,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): LonePrimaryDoubt {
  if (shape !== 'sentinel') return async () => false
  let connectedAt = clock.monotonic()
  redis.on('ready', () => {
    connectedAt = clock.monotonic()
  })
  return async () => {
    if (clock.monotonic() - connectedAt >= DOUBT_MS) return false
    await clock.sleep(PAUSE_MS)
    return true
  }
}

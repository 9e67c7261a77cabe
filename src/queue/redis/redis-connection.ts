import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import type { Random } from '../../core/clock.js'
import { backoffMs } from '../../core/retry.js'
import type { RedisTarget } from './redis-access.js'

/** One Redis (also the one that Sentinels name) or a cluster: both take commands in the same way. */
export type RedisClient = Redis | Cluster

/** How long a command may take, or be tried; see ioredis. */
interface Limits {
  readonly maxRetriesPerRequest: number | null
  readonly commandTimeout?: number
}

/** How often a cluster is asked again, and whether commands wait for one that is away. */
type Patience = Pick<ClusterOptions, 'maxRedirections' | 'enableOfflineQueue'>

/** Pace of reconnecting: quick at first, since most outages are restarts, then every two to four seconds. */
const RECONNECT = { baseMs: 100, maxMs: 4000 }
/** A connection without an answer for this long is dropped and made again. Above BullMQ's blocking reads (10 s). */
const SOCKET_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 10_000
/** A command of a queue fails after this; it may still take effect, which is harmless for all that are sent. */
const COMMAND_TIMEOUT_MS = 15_000
/** A command of a queue fails after so many reconnects in vain, so that commands do not pile up in an outage. */
const PRODUCER_RECONNECTS = 5
/** Pause before a command that a node of a cluster did not take goes out again. */
const CLUSTER_RETRY_MS = 200
/** The same for commands of a queue: some 6 s, longer than a failover within `cluster-node-timeout` of 2 s takes. */
const PRODUCER_REDIRECTIONS = 30
/** Longest wait for a node's map of the cluster; then the next one is asked. */
const SLOTS_TIMEOUT_MS = 3000
/** A failover moves keys without notice to those who wait, so the map is read again this often. */
const SLOTS_REFRESH_MS = 5000

/** For workers: commands wait until Redis is back, for ever. */
export function makeConsumer(target: RedisTarget, random: Random): RedisClient {
  return target.shape === 'cluster'
    ? makeCluster(target, random, { maxRedirections: Number.MAX_SAFE_INTEGER }, { maxRetriesPerRequest: null })
    : makeSingle(target, random, { maxRetriesPerRequest: null })
}

/** For queues: commands fail when Redis stays away. */
export function makeProducer(target: RedisTarget, random: Random): RedisClient {
  const limits = { maxRetriesPerRequest: PRODUCER_RECONNECTS, commandTimeout: COMMAND_TIMEOUT_MS }
  return target.shape === 'cluster'
    ? makeCluster(target, random, { maxRedirections: PRODUCER_REDIRECTIONS, enableOfflineQueue: false }, limits)
    : makeSingle(target, random, limits)
}

function makeSingle(target: RedisTarget, random: Random, limits: Limits): Redis {
  const pace = (times: number) => backoffMs(times, RECONNECT, random)
  return new Redis({
    ...common(target),
    ...(target.shape === 'sentinel' ? sentinelOptions(target, pace) : target.nodes[0]),
    db: target.db,
    retryStrategy: pace,
    // After a failover the old primary answers READONLY: only a new connection finds the new one.
    reconnectOnError: (error: Error) => (error.message.startsWith('READONLY') ? 2 : false),
    ...limits,
  })
}

function sentinelOptions({ nodes, primary, sentinelPassword, tlsOptions }: RedisTarget, pace: (n: number) => number) {
  return {
    sentinels: [...nodes],
    name: primary,
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(tlsOptions && { sentinelTLS: tlsOptions, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: pace,
    sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
  } satisfies RedisOptions
}

function makeCluster(target: RedisTarget, random: Random, own: Patience, limits: Limits): Cluster {
  return new Cluster([...target.nodes], {
    lazyConnect: true,
    clusterRetryStrategy: (times) => backoffMs(times, RECONNECT, random),
    // It would ask any node, and begin again where that one is dead; what a cluster cannot take now is sent again anyway.
    enableReadyCheck: false,
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnMoved: CLUSTER_RETRY_MS,
    slotsRefreshTimeout: SLOTS_TIMEOUT_MS,
    slotsRefreshInterval: SLOTS_REFRESH_MS,
    // By name, not by the address that it stands for: certificates are made for names.
    dnsLookup: (host, found) => found(null, host),
    redisOptions: { ...common(target), ...limits },
    ...own,
  })
}

function common({ username, password, tlsOptions }: RedisTarget) {
  return {
    lazyConnect: true,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tlsOptions && { tls: tlsOptions }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    keepAlive: 10_000,
  } satisfies RedisOptions
}

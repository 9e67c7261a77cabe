import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { RedisServer } from './redis-server.js'

/** Several Redis servers of which one is the primary of our keys, until it dies. */
export interface RedisGroup {
  readonly url: string
  /** All servers that hold data. */
  readonly servers: readonly RedisServer[]
  readonly password?: string
  /** The port of the primary of our keys. */
  primaryPort(): Promise<number | null>
  stop(): Promise<void>
}

const LOOK_EVERY_MS = 50
const LIMIT_MS = 180_000

/**
 * Kills the primary, waits until a replica has taken over, and starts the old one again, as a replica.
 * @param losing runs while the replicas hang; they are killed too, so that all that is written meanwhile is lost
 */
export async function failOver(group: RedisGroup, losing?: () => Promise<void>): Promise<void> {
  const port = await group.primaryPort()
  const old = group.servers.find((server) => server.port === port)!
  const replicas = await replicasOf(old.port, group)
  if (losing) {
    for (const server of replicas) server.freeze()
    await losing()
  }
  await old.kill9()
  // Thawed, a replica would still read what waits in its socket.
  if (losing) await Promise.all(replicas.map((server) => server.kill9().then(() => server.restart())))
  await lookUntil('a new primary', async () => ![port, null].includes(await group.primaryPort()))
  await old.restart()
  const complete = async () => (await replicasOf(await group.primaryPort(), group)).length === replicas.length
  await lookUntil('the old primary as a replica', complete)
}

/** The servers that follow the primary on that port and are in step with it. */
export async function replicasOf(port: number | null, { servers, password }: RedisGroup): Promise<RedisServer[]> {
  const role = (server: RedisServer) => askRedis(server.port, (redis) => redis.info('replication'), password)
  const roles = await Promise.all(servers.map(role))
  const follows = (text: string) => text.includes(`master_port:${port}\r`) && text.includes('master_link_status:up')
  return servers.filter((_, nth) => follows(roles[nth]!))
}

/** One question to one server, which fails where the server does not answer. */
export async function askRedis<T>(port: number, question: (redis: Redis) => Promise<T>, password = ''): Promise<T> {
  const impatient = {
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    commandTimeout: 20_000,
    enableReadyCheck: false,
  }
  const redis = new Redis(port, '127.0.0.1', { ...impatient, ...(password && { password }) })
  redis.on('error', () => {})
  try {
    return await question(redis)
  } finally {
    redis.disconnect()
  }
}

/** Looks until the answer is true; a failure is a no. */
export async function lookUntil(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS
  while (!(await look().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`gave up waiting: ${what}`)
    await sleep(LOOK_EVERY_MS)
  }
}

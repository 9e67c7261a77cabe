import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from './local-server.js'
import { askRedis, lookUntil, type RedisGroup } from './redis-failover.js'
import { findRedisServer, type RedisServer, startRedisServer } from './redis-server.js'

const PRIMARIES = 3
/** As short as a cluster decides well on a busy machine, ms. */
const NODE_TIMEOUT_MS = 4000

/** A cluster of three primaries with a replica each. @param prefix of the keys whose primary is asked for */
export async function startCluster(prefix = 'attestd'): Promise<RedisGroup> {
  const servers: RedisServer[] = []
  for (let nth = 0; nth < 2 * PRIMARIES; nth++) servers.push(await startNode())
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`)
  const cli = path.join(path.dirname(findRedisServer()!), 'redis-cli')
  await promisify(execFile)(cli, ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'])
  for (const { port } of servers) await lookUntil('a node that knows the cluster', () => isInStep(port))
  return {
    // The others are found from two of them.
    url: `redis+cluster://${nodes.slice(0, 2).join()}`,
    servers,
    primaryPort: () => primaryOf(servers, prefix),
    stop: async () => {
      for (const server of servers) await server.stop()
    },
  }
}

async function startNode(): Promise<RedisServer> {
  const settings = {
    'cluster-enabled': 'yes',
    // The default is far above the ports that are free.
    'cluster-port': await freePort(),
    'cluster-node-timeout': NODE_TIMEOUT_MS,
    'cluster-replica-validity-factor': 0,
    'cluster-require-full-coverage': 'no',
  }
  return startRedisServer({ args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]) })
}

async function isInStep(port: number): Promise<boolean> {
  const state = await askRedis(port, (redis) => redis.cluster('INFO'))
  const role = await askRedis(port, (redis) => redis.info('replication'))
  const inStep = role.includes('role:master') ? role.includes('state=online') : role.includes('master_link_status:up')
  return state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${2 * PRIMARIES}`) && inStep
}

/** As the first node that answers sees it; null while the primary is known to be dead. */
async function primaryOf(servers: readonly RedisServer[], prefix: string): Promise<number | null> {
  for (const { port } of servers) {
    const seen = await askRedis(port, async (redis) => {
      const slot = Number(await redis.cluster('KEYSLOT', `{${prefix}}`))
      const slots = await redis.cluster('SLOTS')
      return slots.find(([from, to]) => from <= slot && slot <= to)?.[2]?.[1] ?? null
    }).catch(() => undefined)
    if (seen !== undefined) return seen
  }
  return null
}

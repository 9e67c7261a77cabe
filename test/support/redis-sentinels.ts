import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Redis } from 'ioredis'
import { freePort } from './local-server.js'
import { askRedis, lookUntil, type RedisGroup } from './redis-failover.js'
import { end, findRedisServer, launch, startRedisServer } from './redis-server.js'

const NAME = 'attestd-primary'
const SENTINELS = 3
const REPLICAS = 2
/** As short as Sentinel decides well on a busy machine, ms. */
const DOWN_AFTER_MS = 3000

/** Passwords of the servers and of the Sentinels. */
export const SENTINEL_PASSWORDS = { redis: 'redis-pass-word', sentinel: 'sentinel-pass-word' } as const

/** A primary with two replicas, watched by three Sentinels; both kinds ask for a password. */
export async function startSentinels(): Promise<RedisGroup> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'attestd-sentinel-'))
  const { redis: password } = SENTINEL_PASSWORDS
  const auth = ['--requirepass', password, '--masterauth', password]
  const primary = await startRedisServer({ args: auth })
  const following = [...auth, '--replicaof', '127.0.0.1', String(primary.port)]
  const servers = [primary]
  for (let nth = 0; nth < REPLICAS; nth++) servers.push(await startRedisServer({ args: following }))
  const sentinels: { port: number; child: ChildProcess }[] = []
  for (let nth = 0; nth < SENTINELS; nth++) sentinels.push(await startSentinel(folder, primary.port))
  const ports = sentinels.map(({ port }) => port)
  for (const port of ports) await lookUntil('Sentinels that know all', () => knowsAll(port))
  return {
    url: `redis+sentinel://:${password}@${ports.map((port) => `127.0.0.1:${port}`).join()}/${NAME}`,
    servers,
    password,
    primaryPort: () =>
      ask(ports[0]!, async (redis) => {
        const address = (await redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string] | null
        return address && Number(address[1])
      }),
    stop: async () => {
      for (const { child } of sentinels) await end(child, 'SIGKILL')
      for (const server of servers) await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startSentinel(folder: string, primaryPort: number) {
  const port = await freePort()
  const file = path.join(folder, `${port}.conf`)
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir "${folder}"`,
    `requirepass ${SENTINEL_PASSWORDS.sentinel}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${primaryPort} 2`,
    `sentinel auth-pass ${NAME} ${SENTINEL_PASSWORDS.redis}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} 5000`,
    `sentinel parallel-syncs ${NAME} ${REPLICAS}`,
  ]
  await writeFile(file, lines.join('\n'))
  return { port, child: await launch(findRedisServer()!, [file, '--sentinel']) }
}

function knowsAll(port: number): Promise<boolean> {
  return ask(port, async (redis) => {
    const facts = (await redis.call('SENTINEL', 'MASTER', NAME)) as string[]
    const fact = (name: string) => Number(facts[facts.indexOf(name) + 1])
    return fact('num-slaves') === REPLICAS && fact('num-other-sentinels') === SENTINELS - 1
  })
}

function ask<T>(port: number, question: (redis: Redis) => Promise<T>): Promise<T> {
  return askRedis(port, question, SENTINEL_PASSWORDS.sentinel)
}

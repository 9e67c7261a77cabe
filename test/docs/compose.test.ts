import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { SETTINGS } from '../../src/config/settings.js'
import { acceptedSettings } from './deployed-settings.js'
import { read } from './pages.js'

const service = z.object({
  image: z.string(),
  build: z.string().optional(),
  profiles: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  networks: z.array(z.string()),
  volumes: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  command: z.array(z.string()).optional(),
  deploy: z.object({ replicas: z.string().or(z.number()) }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.literal('service_healthy') })).default({}),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  stop_grace_period: z.string().regex(/^\d+s$/),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  ulimits: z.object({ core: z.number() }).optional(),
})
const { networks, secrets, services, volumes } = z
  .object({
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    networks: z.record(z.string(), z.unknown()),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read('config/compose.yaml'), { merge: true }))
const named = Object.entries(services)

describe('config/compose.yaml', () => {
  it('has daemon, workers and Redis by default, the sandbox by profile', () => {
    expect(named.filter(([, { profiles }]) => !profiles).map(([name]) => name)).toEqual(['attestd', 'analyze', 'redis'])
    expect(named.filter(([, { profiles }]) => profiles).map(([name]) => name)).toEqual(['sandbox', 'sandbox-daemon'])
  })

  it.each(named.filter(([, { secrets }]) => secrets.length > 0))('%s leaves no core dump with secrets', (_, one) =>
    expect(one.ulimits).toEqual({ core: 0 }),
  )

  it.each(named)('%s: every name in it is defined', (_, one) => {
    expect(Object.keys(networks)).toEqual(expect.arrayContaining(one.networks))
    expect(Object.keys(secrets)).toEqual(expect.arrayContaining(one.secrets))
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(one.depends_on)))
    const named = one.volumes.filter((volume) => volume.includes(':')).map((volume) => volume.split(':')[0])
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(named))
    for (const [name, value] of Object.entries(one.environment)) {
      const secret = /^\/run\/secrets\/(.*)$/.exec(value)?.[1]
      if (name.endsWith('_FILE') && secret) expect(one.secrets).toContain(secret)
    }
  })

  it.each(named)('%s: reachable from this machine only', (_, { ports }) => {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/)
  })

  it.each(['attestd', 'analyze', 'sandbox-daemon'])(
    '%s: its settings are accepted, and it has time to drain',
    (name) => {
      const { environment, stop_grace_period } = services[name]!
      const { httpHost, httpPassword } = acceptedSettings(environment)
      if (httpHost !== SETTINGS.httpHost.fallback) expect(httpPassword).toBeDefined()
      expect(Number.parseInt(stop_grace_period, 10) * 1000).toBeGreaterThan(Number(SETTINGS.drainMs.fallback) + 5000)
    },
  )

  it('the workers can be multiplied: no name, port or volume of their own, and no key of the service', () => {
    const { deploy, ports, secrets: own, volumes: data } = services.analyze!
    expect(deploy).toEqual({ replicas: `\${ANALYZE_REPLICAS:-2}` })
    expect([ports, own, data]).toEqual([[], ['fleet_secret'], ['/data']])
    const roles = ['attestd', 'analyze'].map((name) => services[name]!.environment.ATTESTD_ROLES)
    expect(roles.join().split(',').toSorted()).toEqual(SETTINGS.roles.fallback!.split(',').toSorted())
  })

  it('Redis neither evicts nor forgets, and no other network reaches it', () => {
    const { command, networks: own, ports } = services.redis!
    const words = command!.join(' ')
    for (const option of ['--appendonly yes', '--appendfsync everysec', '--maxmemory-policy noeviction'])
      expect(words).toContain(option)
    expect(ports).toEqual([])
    expect(own).toEqual(['queue'])
    expect(networks.queue).toEqual({ internal: true })
  })
})

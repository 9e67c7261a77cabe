import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { SERVICE_NAME, SERVICE_VERSION } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { HealthReply, PingReply, TimeReply } from '../http/wire.js'
import type { World } from '../world.js'

/** Routes without credentials: ping, time, health. */
export function publicRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      '/api/v1/ping',
      {
        schema: { tags: ['public'], summary: 'Connectivity test', response: { 200: PingReply } },
        ...faultHooks(world, 'ping'),
      },
      async () => ({}),
    )
    app.get(
      '/api/v1/time',
      {
        schema: { tags: ['public'], summary: 'Server time in milliseconds', response: { 200: TimeReply } },
        ...faultHooks(world, 'time'),
      },
      async (_request, reply) => {
        reply.header('cache-control', 'no-store')
        return { serverTime: world.time.now() }
      },
    )
    app.get(
      '/api/v1/health',
      {
        schema: { tags: ['public'], summary: 'Service metadata', response: { 200: HealthReply } },
        ...faultHooks(world, 'health'),
      },
      async () => ({
        ok: true,
        service: SERVICE_NAME,
        version: SERVICE_VERSION,
        timestamp: new Date(world.time.now()).toISOString(),
      }),
    )
  }
}

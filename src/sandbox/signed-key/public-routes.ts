import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { healthReplySchema } from '../../service/signed-key/schemas.js'
import { SERVICE_NAME, SERVICE_VERSION } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { PingReply, TimeReply } from '../http/wire.js'
import type { World } from '../world.js'

/** Routes without credentials: ping, time, health. */
export function publicRoutes(world: World): FastifyPluginAsyncZod {
  const tags = ['public']
  return async (app) => {
    const ping = { tags, summary: 'Connectivity test', response: { 200: PingReply } }
    app.get('/api/v1/ping', { schema: ping, ...faultHooks(world, 'ping') }, async () => ({}))

    const time = { tags, summary: 'Server time in milliseconds', response: { 200: TimeReply } }
    app.get('/api/v1/time', { schema: time, ...faultHooks(world, 'time') }, async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { serverTime: world.time.now() }
    })

    const health = { tags, summary: 'Service metadata', response: { 200: healthReplySchema } }
    app.get('/api/v1/health', { schema: health, ...faultHooks(world, 'health') }, async () => {
      const timestamp = new Date(world.time.now()).toISOString()
      return { ok: true, service: SERVICE_NAME, version: SERVICE_VERSION, timestamp }
    })
  }
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { World } from '../world.js'
import { attesterRoutes } from './attester-routes.js'
import { publicRoutes } from './public-routes.js'
import { speakShapes } from './shapes.js'
import { submitterRoutes, uploadRoute } from './submitter-routes.js'

/** The wallet-session API: a bearer token for a wallet's signature. Its paths are `/health` and those under `/v1`. */
export function walletSessionApi(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    speakShapes(app, world.walletSession.shapes)
    await app.register(publicRoutes(world))
    await app.register(submitterRoutes(world))
    await app.register(uploadRoute(world))
    await app.register(attesterRoutes(world))
  }
}

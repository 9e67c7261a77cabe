import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import { boundedServer, type ServerLimits } from '../core/net/bounded-server.js'
import { adminRoutes } from './admin/admin-routes.js'
import type { SandboxControl } from './admin/sandbox-control.js'
import { rpcRoute } from './chain/rpc-route.js'
import { JSON_BODY_LIMIT_BYTES } from './choices.js'
import { keptBooksOf } from './create-world.js'
import { gatewayRoutes } from './gateway/gateway-routes.js'
import { errorReply } from './http/error-reply.js'
import { documentRoutes, serveDocuments } from './http/openapi.js'
import { Refusal } from './http/refusal.js'
import { attesterRoutes } from './signed-key/attester-routes.js'
import { keyRoutes } from './signed-key/key-routes.js'
import { publicRoutes } from './signed-key/public-routes.js'
import { submitterRoutes, uploadRoute } from './signed-key/submitter-routes.js'
import { attesterRoutes as sessionAttesterRoutes } from './wallet-session/attester-routes.js'
import { publicRoutes as sessionPublicRoutes } from './wallet-session/public-routes.js'
import { speakShapes } from './wallet-session/shapes.js'
import {
  submitterRoutes as sessionSubmitterRoutes,
  uploadRoute as sessionUploadRoute,
} from './wallet-session/submitter-routes.js'
import type { World } from './world.js'

/** Longest decoded path parameter, characters; asset ids and content paths fit in. */
const MAX_PARAM_LENGTH = 2048

/** Room for uploads of large files, and for a fleet of daemons with a stream each. */
const LIMITS: ServerLimits = { requestTimeoutMs: 60_000, maxConnections: 1_000, idleMs: 5 * 60_000 }

const API_ROUTES = [
  publicRoutes,
  attesterRoutes,
  submitterRoutes,
  keyRoutes,
  uploadRoute,
  sessionPublicRoutes,
  sessionAttesterRoutes,
  sessionSubmitterRoutes,
  sessionUploadRoute,
  gatewayRoutes,
]

function stateDate({ options: { dateOffsetMs }, time }: World, reply: FastifyReply): void {
  if (dateOffsetMs === null) reply.raw.sendDate = false
  else reply.header('date', new Date(time.now() + dateOffsetMs).toUTCString())
}

/** Every API of the sandbox on one origin. */
export async function createApp(world: World, control: SandboxControl): Promise<FastifyInstance> {
  const app = Fastify({
    forceCloseConnections: true,
    serverFactory: boundedServer(LIMITS),
    exposeHeadRoutes: false,
    bodyLimit: JSON_BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => void errorReply(world.log)(error, request, reply),
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(errorReply(world.log))
  app.setNotFoundHandler(() => {
    throw new Refusal('route-unknown', 'No such route; the list is at /docs.')
  })
  app.decorateRequest('fault', null)
  // A service whose clock is off reports it: clients judge the ends of challenges and sessions by this.
  app.addHook('onSend', async (_, reply) => stateDate(world, reply))
  // What was acknowledged outlives a kill of the process. A reply that failed must not fail again.
  app.addHook('onSend', async (_, reply) => {
    if (reply.statusCode < 500) await world.storage.save(() => keptBooksOf(world))
  })
  await documentRoutes(app, world.options.headerPrefix)
  speakShapes(app, world.options.shapes)
  for (const routes of API_ROUTES) await app.register(routes(world))
  await app.register(adminRoutes(world, control))
  await app.register(rpcRoute(world.registry))
  await serveDocuments(app)
  app.get('/', { schema: { hide: true } as never }, async (_request, reply) => reply.redirect('/docs'))
  await app.ready()
  return app
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { assetView } from '../asset-view.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody } from '../http/json-body.js'
import { RegisterBody, RegisterReply, signedSchema } from '../http/wire.js'
import { registerAsset } from '../register-asset.js'
import type { World } from '../world.js'
import { callerOf, requireSignature } from './authenticate.js'

/** The submitter's side: register an asset. */
export function submitterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    requireSignature(app, world, 'submitter')
    const schema = {
      ...signedSchema('submitter', 'Register a media asset', { 201: RegisterReply }, 400, 401, 403, 413, 415, 429),
      description: 'ownerEmail and ownerAddress in the body are ignored: the owner is the wallet of the key.',
      body: RegisterBody,
    }
    app.post('/api/v1/submitter/media', { schema, ...faultHooks(world, 'register') }, async (request, reply) => {
      const asset = registerAsset(world, request.body, callerOf(request).wallet)
      return reply.code(201).send({ asset: assetView(world, asset) })
    })
  }
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { assetView } from '../asset-view.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody } from '../http/json-body.js'
import { SIGNED } from '../http/openapi.js'
import { RegisterBody, RegisterReply, refusals } from '../http/wire.js'
import { registerAsset } from '../register-asset.js'
import type { World } from '../world.js'
import { callerOf, requireSignature } from './authenticate.js'

/** The submitter's side: register an asset. */
export function submitterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    requireSignature(app, world, 'submitter')
    app.post(
      '/api/v1/submitter/media',
      {
        schema: {
          tags: ['submitter'],
          summary: 'Register a media asset',
          description: 'ownerEmail and ownerAddress in the body are ignored: the owner is the wallet of the key.',
          security: SIGNED,
          body: RegisterBody,
          response: { 201: RegisterReply, ...refusals(400, 401, 403, 413, 415, 429) },
        },
        ...faultHooks(world, 'register'),
      },
      async (request, reply) => {
        const asset = registerAsset(world, request.body, callerOf(request).wallet)
        return reply.code(201).send({ asset: assetView(world, asset) })
      },
    )
  }
}

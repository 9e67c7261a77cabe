import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { assetView } from './asset-view.js'
import { callerOf, requireSignature } from './authenticate.js'
import { DEFAULT_MEDIA_TYPE } from './choices.js'
import { faultHooks } from './fault-hooks.js'
import { keepRawBody } from './json-body.js'
import { SIGNED } from './openapi.js'
import { Refusal } from './refusal.js'
import { RegisterBody, RegisterReply, refusals } from './wire.js'
import type { World } from './world.js'

/** The submitter's side: register an asset. */
export function submitterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, world.limits.jsonBodyBytes)
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

/** Puts an asset on the books. Refuses a deadline that is not in the future. */
function registerAsset(world: World, body: z.infer<typeof RegisterBody>, ownerAddress: string) {
  if (!(Date.parse(body.verificationDeadline) > world.time.now())) {
    throw new Refusal('request-invalid', 'body: /verificationDeadline must be in the future')
  }
  return world.assets.register({
    title: body.title,
    mediaContext: body.mediaContext,
    contentType: body.contentType ?? 'auto',
    contentHash: body.contentHash.toLowerCase(),
    uri: body.uri,
    contributorAttestationUid: body.contributorAttestationUid,
    verificationDeadline: body.verificationDeadline,
    mediaType: body.mediaType ?? DEFAULT_MEDIA_TYPE,
    turnaround: body.turnaround ?? 'standard',
    ownerAddress,
  })
}

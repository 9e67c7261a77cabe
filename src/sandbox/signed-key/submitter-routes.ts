import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { assetView } from '../asset-view.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody } from '../http/json-body.js'
import { SESSION, SIGNED, WALLET_SESSION } from '../http/openapi.js'
import { acceptFiles, multipartBodyLimit, receiveFile, UploadBody } from '../http/receive-file.js'
import { RegisterBody, RegisterReply, refusals, signedSchema, UploadReply } from '../http/wire.js'
import { registerAsset } from '../register-asset.js'
import { bearerOf, refuseWithout, requireSession } from '../wallet-session/bearer.js'
import type { World } from '../world.js'
import { admit, type Credentials, callerOf, checkSignature, readCredentials, requireSignature } from './authenticate.js'

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

/** Upload of media into the store behind the gateway. */
export function uploadRoute(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    const limit = world.options.uploadLimitBytes
    await acceptFiles(app, limit)
    app.decorateRequest('credentials', null)
    const schema = {
      tags: ['media'],
      summary: 'Upload a file',
      description: `Multipart with one field \`file\` of at most ${limit} bytes. Authorized by a session token, or by a
submitter key: the signature then covers the SHA-256 of the raw multipart body, boundary and all.`,
      consumes: ['multipart/form-data'],
      security: [...SESSION, ...WALLET_SESSION, ...SIGNED],
      body: UploadBody,
      response: { 200: UploadReply, ...refusals(400, 401, 403, 413, 415, 429) },
    }
    const onRequest = async (request: FastifyRequest) => checkCredentials(world, request)
    const options = { bodyLimit: multipartBodyLimit(limit), schema, onRequest, ...faultHooks(world, 'upload') }
    app.post('/api/media/upload', options, async (request) => {
      const file = await receiveFile(request, limit)
      if (bearerOf(request) === null) {
        const credentials = request.getDecorator<Credentials>('credentials')
        checkSignature(request, credentials, file.bodySha256)
        admit(world, credentials.key, 'submitter')
      }
      return { ...(await world.media.add(file.content, file.name)) }
    })
  }
}

/** What can be checked before the body is there. */
function checkCredentials(world: World, request: FastifyRequest): void {
  if (bearerOf(request) === null) {
    request.setDecorator('credentials', readCredentials(world, request))
    return
  }
  const session = requireSession(world, request)
  if (session !== null) refuseWithout('submitter', session)
}

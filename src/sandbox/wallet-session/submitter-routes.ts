import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { acceptFiles, multipartBodyLimit, receiveFile, UploadBody } from '../http/receive-file.js'
import { Refusal } from '../http/refusal.js'
import { UploadReply } from '../http/wire.js'
import { registerAsset } from '../register-asset.js'
import type { World } from '../world.js'
import { requireRole, sessionOf } from './bearer.js'
import { listedAssetView, sessionAssetView } from './views.js'
import { AssetBody, AssetCreatedReply, AssetsReply, OwnerQuery, sessionSchema } from './wire.js'

/** The submitter's side: register an asset, list one's own. */
export function submitterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    requireRole(app, world, 'submitter')
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    const summary = 'Register a media asset'
    const creation = {
      ...sessionSchema('submitter', summary, { 201: AssetCreatedReply }, 400, 401, 403, 413, 415),
      body: AssetBody,
    }
    app.post('/v1/assets', { schema: creation, ...faultHooks(world, 'register') }, async (request, reply) => {
      const { address } = sessionOf(request)
      requireOwn('ownerAddress', request.body.ownerAddress, address)
      const asset = registerAsset(world, request.body, address)
      return reply.code(201).send({ asset: sessionAssetView(world, asset) })
    })
    const list = {
      ...sessionSchema('submitter', "The session's own assets, open and closed", { 200: AssetsReply }, 400, 401, 403),
      querystring: OwnerQuery,
    }
    app.get('/v1/assets/by-owner', { schema: list, ...faultHooks(world, 'owned') }, async (request) => {
      const { address } = sessionOf(request)
      requireOwn('owner', request.query.owner, address)
      const own = world.assets.all().filter((asset) => asset.ownerAddress === address)
      return { assets: own.map((asset) => listedAssetView(world, asset)) }
    })
  }
}

/** Upload of media into the store behind the gateway. */
export function uploadRoute(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    const limit = world.options.uploadLimitBytes
    await acceptFiles(app, limit)
    requireRole(app, world, 'submitter')
    const schema = {
      ...sessionSchema('submitter', 'Upload a file', { 200: UploadReply }, 400, 401, 403, 413, 415),
      description: `Multipart with one field \`file\` of at most ${limit} bytes.`,
      consumes: ['multipart/form-data'],
      body: UploadBody,
    }
    const options = { bodyLimit: multipartBodyLimit(limit), schema, ...faultHooks(world, 'upload') }
    app.post('/v1/media/upload', options, async (request) => {
      const { content, name } = await receiveFile(request, limit)
      return { ...(await world.media.add(content, name)) }
    })
  }
}

function requireOwn(field: string, named: string, address: string): void {
  if (named.toLowerCase() === address) return
  throw new Refusal('owner-mismatch', `${field} is not the wallet of the session.`)
}

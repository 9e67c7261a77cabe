import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { WALLET_SESSION } from '../http/openapi.js'
import { acceptFiles, multipartBodyLimit, receiveFile, UploadBody } from '../http/receive-file.js'
import { Refusal } from '../http/refusal.js'
import { UploadReply } from '../http/wire.js'
import { registerAsset } from '../register-asset.js'
import type { World } from '../world.js'
import { requireRole, sessionOf } from './bearer.js'
import { listedAssetView, sessionAssetView } from './views.js'
import { AssetBody, AssetCreatedReply, AssetsReply, OwnerQuery, plainRefusals } from './wire.js'

type App = Parameters<FastifyPluginAsyncZod>[0]

/** The submitter's side: register an asset, list one's own. */
export function submitterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    requireRole(app, world, 'submitter')
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    registerRoute(app, world)
    byOwnerRoute(app, world)
  }
}

/** Upload of media into the store behind the gateway. */
export function uploadRoute(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    const limit = world.limits.uploadBytes
    await acceptFiles(app, limit)
    requireRole(app, world, 'submitter')
    app.post(
      '/v1/media/upload',
      {
        bodyLimit: multipartBodyLimit(limit),
        schema: {
          tags: ['session submitter'],
          summary: 'Upload a file',
          description: `Multipart with one field \`file\` of at most ${limit} bytes.`,
          consumes: ['multipart/form-data'],
          security: WALLET_SESSION,
          body: UploadBody,
          response: { 200: UploadReply, ...plainRefusals(400, 401, 403, 413, 415) },
        },
        ...faultHooks(world, 'upload'),
      },
      async (request) => {
        const { content, name } = await receiveFile(request, limit)
        return { ...(await world.media.add(content, name)) }
      },
    )
  }
}

function registerRoute(app: App, world: World): void {
  app.post(
    '/v1/assets',
    {
      schema: {
        tags: ['session submitter'],
        summary: 'Register a media asset',
        security: WALLET_SESSION,
        body: AssetBody,
        response: { 201: AssetCreatedReply, ...plainRefusals(400, 401, 403, 413, 415) },
      },
      ...faultHooks(world, 'register'),
    },
    async (request, reply) => {
      const { address } = sessionOf(request)
      requireOwn('ownerAddress', request.body.ownerAddress, address)
      const asset = registerAsset(world, request.body, address)
      return reply.code(201).send({ asset: sessionAssetView(world, asset) })
    },
  )
}

function byOwnerRoute(app: App, world: World): void {
  app.get(
    '/v1/assets/by-owner',
    {
      schema: {
        tags: ['session submitter'],
        summary: "The session's own assets, open and closed",
        security: WALLET_SESSION,
        querystring: OwnerQuery,
        response: { 200: AssetsReply, ...plainRefusals(400, 401, 403) },
      },
      ...faultHooks(world, 'owned'),
    },
    async (request) => {
      const { address } = sessionOf(request)
      requireOwn('owner', request.query.owner, address)
      const own = world.assets.all().filter((asset) => asset.ownerAddress === address)
      return { assets: own.map((asset) => listedAssetView(world, asset)) }
    },
  )
}

function requireOwn(field: string, named: string, address: string): void {
  if (named.toLowerCase() === address) return
  throw new Refusal('owner-mismatch', `${field} is not the wallet of the session.`)
}

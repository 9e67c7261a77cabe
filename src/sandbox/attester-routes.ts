import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { assetView, stakeView } from './asset-view.js'
import { callerOf, requireSignature } from './authenticate.js'
import { faultHooks, faultOf } from './fault-hooks.js'
import { keepRawBody } from './json-body.js'
import { SIGNED } from './openapi.js'
import { Refusal } from './refusal.js'
import { scoreRoute } from './score-route.js'
import { openStream } from './stream-route.js'
import { AssetParams, AssetReply, ListReply, MediaQuery, refusals } from './wire.js'
import type { World } from './world.js'

/** The attester's side: list, single asset, stream, score. */
export function attesterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, world.limits.jsonBodyBytes)
    requireSignature(app, world, 'attester')
    listRoute(app, world)
    singleRoute(app, world)
    streamRoute(app, world)
    scoreRoute(app, world)
  }
}

type App = Parameters<FastifyPluginAsyncZod>[0]

function listRoute(app: App, world: World): void {
  app.get(
    '/api/v1/attester/media',
    {
      schema: {
        tags: ['attester'],
        summary: 'List open assets',
        security: SIGNED,
        querystring: MediaQuery,
        response: { 200: ListReply, ...refusals(400, 401, 403, 429) },
      },
      ...faultHooks(world, 'list'),
    },
    async (request) => {
      const { wallet } = callerOf(request)
      const scorer = request.query.includeMyScore === 1 ? wallet : null
      const assets = world.assets.open().map((asset) => assetView(world, asset, scorer))
      return { assets, stake: stakeView(world, wallet) }
    },
  )
}

function singleRoute(app: App, world: World): void {
  app.get(
    '/api/v1/attester/media/:id',
    {
      schema: {
        tags: ['attester'],
        summary: 'One open asset',
        security: SIGNED,
        params: AssetParams,
        querystring: MediaQuery,
        response: { 200: AssetReply, ...refusals(400, 401, 403, 404, 429) },
      },
      ...faultHooks(world, 'one', { keyOf: (request) => (request.params as { id: string }).id }),
    },
    async (request) => {
      const { wallet } = callerOf(request)
      const asset = world.assets.findOpen(request.params.id)
      if (asset === null) throw new Refusal('asset-not-open', 'No open asset has this id.')
      const scorer = request.query.includeMyScore === 1 ? wallet : null
      return { asset: assetView(world, asset, scorer), stake: stakeView(world, wallet) }
    },
  )
}

function streamRoute(app: App, world: World): void {
  app.get(
    '/api/v1/attester/media/stream',
    {
      schema: {
        tags: ['attester'],
        summary: 'Event stream of open assets',
        description: 'Events: ready, open-assets, new-open-assets, ping, error.',
        security: SIGNED,
        response: {
          200: {
            description: 'Server-sent events until either side ends the stream.',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...refusals(401, 403, 429),
        },
      },
      ...faultHooks(world, 'stream'),
    },
    async (request, reply) => {
      openStream(world, callerOf(request), reply, faultOf(request))
      return reply
    },
  )
}

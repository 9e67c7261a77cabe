import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { assetView, stakeView } from '../asset-view.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { faultHooks, faultOf } from '../faults/fault-hooks.js'
import { keepRawBody } from '../http/json-body.js'
import { SIGNED } from '../http/openapi.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams, AssetReply, ListReply, MediaQuery, refusals } from '../http/wire.js'
import type { World } from '../world.js'
import { callerOf, requireSignature, wrongKind } from './authenticate.js'
import { openStream } from './open-asset-stream.js'
import { scoreRoute } from './score-route.js'

/** The attester's side: list, stream, score; and single asset, which its owner may read too. */
export function attesterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, JSON_BODY_LIMIT_BYTES)
    await app.register(async (attesters) => {
      requireSignature(attesters, world, 'attester')
      listRoute(attesters, world)
      streamRoute(attesters, world)
      scoreRoute(attesters, world)
    })
    await app.register(async (both) => {
      requireSignature(both, world, 'attester', 'submitter')
      singleRoute(both, world)
    })
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
        description: 'A submitter key reads the assets of its own wallet here, open or not, with their aggregate.',
        security: SIGNED,
        params: AssetParams,
        querystring: MediaQuery,
        response: { 200: AssetReply, ...refusals(400, 401, 403, 404, 429) },
      },
      ...faultHooks(world, 'one', { keyOf: (request) => (request.params as { id: string }).id }),
    },
    async (request) => {
      const { key, wallet } = callerOf(request)
      if (key.kind === 'submitter') return ownAsset(world, wallet, request.params.id)
      const asset = world.assets.findOpen(request.params.id)
      if (asset === null) throw new Refusal('asset-not-open', 'No open asset has this id.')
      const scorer = request.query.includeMyScore === 1 ? wallet : null
      return { asset: assetView(world, asset, scorer), stake: stakeView(world, wallet) }
    },
  )
}

/** What the owner sees of an asset, open or not. A submitter key is refused where the wallet owns no such asset. */
function ownAsset(world: World, wallet: string, id: string) {
  const asset = world.assets.find(id)
  if (asset === null || asset.ownerAddress !== wallet) throw wrongKind('attester')
  return {
    asset: assetView(world, asset),
    stake: stakeView(world, wallet),
    aggregate: { ...world.scores.aggregateOf(id) },
  }
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

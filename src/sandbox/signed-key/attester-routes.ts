import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { assetView, stakeView } from '../asset-view.js'
import { JSON_BODY_LIMIT_BYTES } from '../choices.js'
import { byAsset, faultHooks, faultOf } from '../faults/fault-hooks.js'
import { keepRawBody } from '../http/json-body.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams, AssetReply, EventStream, ListReply, MediaQuery, signedSchema } from '../http/wire.js'
import type { World } from '../world.js'
import { callerOf, requireSignature, wrongKind } from './authenticate.js'
import { openStream } from './open-asset-stream.js'
import { scoreRoute } from './score-route.js'

type App = Parameters<FastifyPluginAsyncZod>[0]

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

function listRoute(app: App, world: World): void {
  const schema = {
    ...signedSchema('attester', 'List open assets', { 200: ListReply }, 400, 401, 403, 429),
    querystring: MediaQuery,
  }
  app.get('/api/v1/attester/media', { schema, ...faultHooks(world, 'list') }, async (request) => {
    const { wallet } = callerOf(request)
    const scorer = request.query.includeMyScore === 1 ? wallet : null
    const assets = world.assets.open().map((asset) => assetView(world, asset, scorer))
    return { assets, stake: stakeView(world, wallet) }
  })
}

function singleRoute(app: App, world: World): void {
  const schema = {
    ...signedSchema('attester', 'One open asset', { 200: AssetReply }, 400, 401, 403, 404, 429),
    description: 'A submitter key reads the open assets of its own wallet here, with their aggregate.',
    params: AssetParams,
    querystring: MediaQuery,
  }
  app.get('/api/v1/attester/media/:id', { schema, ...faultHooks(world, 'one', byAsset) }, async (request) => {
    const { key, wallet } = callerOf(request)
    if (key.kind === 'submitter') return ownAsset(world, wallet, request.params.id)
    const asset = world.assets.findOpen(request.params.id)
    if (asset === null) throw notOpen()
    const scorer = request.query.includeMyScore === 1 ? wallet : null
    return { asset: assetView(world, asset, scorer), stake: stakeView(world, wallet) }
  })
}

const notOpen = (): Refusal => new Refusal('asset-not-open', 'No open asset has this id.')

/** What the owner sees of an open asset. A submitter key is refused where the wallet owns no such asset. */
function ownAsset(world: World, wallet: string, id: string) {
  const asset = world.assets.find(id)
  if (asset === null || asset.ownerAddress !== wallet) throw wrongKind('attester')
  if (!world.assets.isOpen(asset)) throw notOpen()
  const aggregate = world.scores.aggregateOf(id)
  return { asset: assetView(world, asset), stake: stakeView(world, wallet), aggregate }
}

function streamRoute(app: App, world: World): void {
  const schema = {
    ...signedSchema('attester', 'Event stream of open assets', { 200: EventStream }, 401, 403, 429),
    description: 'Events: ready, open-assets, new-open-assets, ping, error.',
  }
  app.get('/api/v1/attester/media/stream', { schema, ...faultHooks(world, 'stream') }, async (request, reply) => {
    openStream(world, callerOf(request), reply, faultOf(request))
    return reply
  })
}

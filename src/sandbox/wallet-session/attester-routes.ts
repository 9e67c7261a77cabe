import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { DEFAULT_CHAIN_ID } from '../choices.js'
import { byAsset, faultHooks, faultOf } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams, EventStream } from '../http/wire.js'
import type { World } from '../world.js'
import { requireRole, sessionOf } from './bearer.js'
import { SCORE_BODY_LIMIT_BYTES } from './choices.js'
import { openAssetStream } from './open-asset-stream.js'
import { scoreRoute } from './score-route.js'
import { listedAssetView, sessionAssetView, sessionScoreView } from './views.js'
import { AssetReply, AssetsReply, ChainQuery, ChainReply, sessionSchema } from './wire.js'

type App = Parameters<FastifyPluginAsyncZod>[0]

/** The attester's side: chain time, list, single asset, stream, score. */
export function attesterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, SCORE_BODY_LIMIT_BYTES)
    requireRole(app, world, 'attester')
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    chainRoute(app, world)
    assetRoutes(app, world)
    streamRoute(app, world)
    scoreRoute(app, world)
  }
}

function chainRoute(app: App, world: World): void {
  const schema = {
    ...sessionSchema('attester', 'The latest block and its time', { 200: ChainReply }, 400, 401, 403, 503),
    querystring: ChainQuery,
  }
  app.get('/v1/chain/latest', { schema, ...faultHooks(world, 'time') }, async (request, reply) => {
    const { registry } = world
    const chainId = Number(request.query.chainId ?? DEFAULT_CHAIN_ID)
    if (chainId !== registry.chainId) {
      throw new Refusal('chain-unavailable', `No RPC endpoint is configured for chain ${chainId}.`)
    }
    const { number, timestamp } = registry.head()
    reply.header('cache-control', 'no-store')
    return { chainId, number: Number(number), timestamp }
  })
}

function assetRoutes(app: App, world: World): void {
  const list = sessionSchema('attester', 'List open assets', { 200: AssetsReply }, 401, 403)
  app.get('/v1/assets/open', { schema: list, ...faultHooks(world, 'list') }, async () => ({
    assets: world.assets.open().map((asset) => listedAssetView(world, asset)),
  }))
  const summary = 'One asset, open or closed, with its scores'
  const one = { ...sessionSchema('attester', summary, { 200: AssetReply }, 401, 403, 404), params: AssetParams }
  app.get('/v1/assets/:id', { schema: one, ...faultHooks(world, 'one', byAsset) }, async (request) => {
    const asset = world.assets.find(request.params.id)
    if (asset === null) throw new Refusal('asset-unknown', 'No asset has this id.')
    return {
      asset: sessionAssetView(world, asset),
      scores: world.scores.ofAsset(asset.id).map(sessionScoreView),
      aggregate: world.scores.aggregateOf(asset.id),
    }
  })
}

function streamRoute(app: App, world: World): void {
  const schema = {
    ...sessionSchema('attester', 'Event stream of open assets', { 200: EventStream }, 401, 403),
    description: `Events: snapshot first, then new-asset when new ones appear, looked for every
${world.options.streamPollMs} ms; comments keep the connection alive. The stream ends with the session.`,
  }
  app.get('/v1/stream/open-assets', { schema, ...faultHooks(world, 'stream') }, async (request, reply) => {
    openAssetStream(world, sessionOf(request), reply, faultOf(request))
    return reply
  })
}

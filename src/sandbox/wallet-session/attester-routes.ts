import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { DEFAULT_CHAIN_ID } from '../choices.js'
import { faultHooks, faultOf } from '../faults/fault-hooks.js'
import { keepRawBody, parseJsonBody } from '../http/json-body.js'
import { WALLET_SESSION } from '../http/openapi.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams } from '../http/wire.js'
import type { World } from '../world.js'
import { requireRole, sessionOf } from './bearer.js'
import { SCORE_BODY_LIMIT_BYTES } from './choices.js'
import { openAssetStream } from './open-asset-stream.js'
import { scoreRoute } from './score-route.js'
import { listedAssetView, sessionAssetView, sessionScoreView } from './views.js'
import { AssetReply, AssetsReply, ChainQuery, ChainReply, plainRefusals } from './wire.js'

type App = Parameters<FastifyPluginAsyncZod>[0]

/** The attester's side: chain time, list, single asset, stream, score. */
export function attesterRoutes(world: World): FastifyPluginAsyncZod {
  return async (app) => {
    keepRawBody(app, SCORE_BODY_LIMIT_BYTES)
    requireRole(app, world, 'attester')
    app.addHook('preValidation', async (request) => parseJsonBody(app, request))
    chainRoute(app, world)
    openRoute(app, world)
    singleRoute(app, world)
    streamRoute(app, world)
    scoreRoute(app, world)
  }
}

function chainRoute(app: App, world: World): void {
  app.get(
    '/v1/chain/latest',
    {
      schema: {
        tags: ['session attester'],
        summary: 'The latest block and its time',
        security: WALLET_SESSION,
        querystring: ChainQuery,
        response: { 200: ChainReply, ...plainRefusals(400, 401, 403, 503) },
      },
      ...faultHooks(world, 'time'),
    },
    async (request, reply) => {
      const { registry } = world
      const chainId = Number(request.query.chainId ?? DEFAULT_CHAIN_ID)
      if (chainId !== registry.chainId) {
        throw new Refusal('chain-unavailable', `No RPC endpoint is configured for chain ${chainId}.`)
      }
      const { number, timestamp } = registry.head()
      reply.header('cache-control', 'no-store')
      return { chainId, number: Number(number), timestamp }
    },
  )
}

function openRoute(app: App, world: World): void {
  app.get(
    '/v1/assets/open',
    {
      schema: {
        tags: ['session attester'],
        summary: 'List open assets',
        security: WALLET_SESSION,
        response: { 200: AssetsReply, ...plainRefusals(401, 403) },
      },
      ...faultHooks(world, 'list'),
    },
    async () => ({ assets: world.assets.open().map((asset) => listedAssetView(world, asset)) }),
  )
}

function singleRoute(app: App, world: World): void {
  app.get(
    '/v1/assets/:id',
    {
      schema: {
        tags: ['session attester'],
        summary: 'One asset, open or closed, with its scores',
        security: WALLET_SESSION,
        params: AssetParams,
        response: { 200: AssetReply, ...plainRefusals(401, 403, 404) },
      },
      ...faultHooks(world, 'one', { keyOf: (request) => (request.params as { id: string }).id }),
    },
    async (request) => {
      const asset = world.assets.find(request.params.id)
      if (asset === null) throw new Refusal('asset-unknown', 'No asset has this id.')
      return {
        asset: sessionAssetView(world, asset),
        scores: world.scores.ofAsset(asset.id).map(sessionScoreView),
        aggregate: { ...world.scores.aggregateOf(asset.id) },
      }
    },
  )
}

function streamRoute(app: App, world: World): void {
  app.get(
    '/v1/stream/open-assets',
    {
      schema: {
        tags: ['session attester'],
        summary: 'Event stream of open assets',
        description: `Events: snapshot first, then new-asset when new ones appear, looked for every
${world.walletSession.streamPollMs} ms; comments keep the connection alive. The stream ends with the session.`,
        security: WALLET_SESSION,
        response: {
          200: {
            description: 'Server-sent events until either side ends the stream.',
            content: { 'text/event-stream': { schema: z.string() } },
          },
          ...plainRefusals(401, 403),
        },
      },
      ...faultHooks(world, 'stream'),
    },
    async (request, reply) => {
      openAssetStream(world, sessionOf(request), reply, faultOf(request))
      return reply
    },
  )
}

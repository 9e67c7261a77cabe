import type { FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { scoreView } from '../asset-view.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreAttempt, ScoreInput } from '../books/score-book.js'
import { ATTESTER_ADDRESS_FIELDS } from '../choices.js'
import { serviceAttestation } from '../embedded-wallet/service-attestation.js'
import { faultHooks, isHandled } from '../faults/fault-hooks.js'
import { SIGNED } from '../http/openapi.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams, refusals, ScoreBody, ScoreReply } from '../http/wire.js'
import type { World } from '../world.js'
import { callerOf } from './authenticate.js'

/** POST of a score: the only route by which a score comes into being. */
export function scoreRoute(app: Parameters<FastifyPluginAsyncZod>[0], world: World): void {
  app.decorateRequest('scoreAttempt', null)
  app.post(
    '/api/v1/attester/media/:id/scores',
    {
      schema: {
        tags: ['attester'],
        summary: 'Submit a score',
        security: SIGNED,
        params: AssetParams,
        body: ScoreBody,
        response: { 200: ScoreReply, ...refusals(400, 401, 403, 404, 409, 413, 415, 429, 503) },
      },
      ...faultHooks(world, 'score', {
        keyOf: assetIdOf,
        onDecided: (request, attempt, fault) => {
          const entry = beginAttempt(world, request, attempt, fault?.kind ?? null)
          if (fault !== null && !isHandled(fault.kind)) entry.outcome = 'fault'
        },
      }),
    },
    async (request) => {
      const entry = request.getDecorator<ScoreAttempt>('scoreAttempt')
      try {
        return await storeScore(world, entry, request.body)
      } catch (error) {
        if (entry.outcome === 'pending') entry.outcome = 'refused'
        throw error
      }
    },
  )
}

function assetIdOf(request: FastifyRequest): string {
  return (request.params as z.infer<typeof AssetParams>).id
}

function beginAttempt(world: World, request: FastifyRequest, attempt: number, fault: string | null): ScoreAttempt {
  const { key, wallet } = callerOf(request)
  const entry = world.scores.begin({
    assetId: assetIdOf(request),
    attesterAddress: wallet,
    accessKey: key.accessKey,
    attempt,
    deepfakeRiskScore: (request.body as z.infer<typeof ScoreBody>).deepfakeRiskScore,
    fault,
  })
  request.setDecorator('scoreAttempt', entry)
  return entry
}

async function storeScore(world: World, entry: ScoreAttempt, body: z.infer<typeof ScoreBody>) {
  refuseOtherAddress(body, entry.attesterAddress)
  const input: ScoreInput = {
    assetId: entry.assetId,
    attesterAddress: entry.attesterAddress,
    deepfakeRiskScore: body.deepfakeRiskScore,
    algorithm: body.algorithm,
    notes: body.notes ?? '',
  }
  const asset = openAsset(world, entry)
  // What will not be stored needs no signature.
  const attestation = world.scores.isNew(input) ? await serviceAttestation(world, asset, input) : null
  // The asset may have closed, and another score come, while the wallet signed: from here on nothing waits.
  openAsset(world, entry)
  const { outcome, score } = world.scores.record(attestation === null ? input : { ...input, attestation })
  entry.outcome = outcome
  if (outcome === 'conflict') {
    throw new Refusal('score-conflict', `This wallet's score for the asset is on record as ${score.deepfakeRiskScore}.`)
  }
  return { score: scoreView(score), aggregate: { ...world.scores.aggregateOf(asset.id) } }
}

function openAsset(world: World, entry: ScoreAttempt): SandboxAsset {
  const asset = world.assets.findOpen(entry.assetId)
  if (asset !== null) return asset
  entry.outcome = 'not-open'
  throw new Refusal('asset-not-open', 'No open asset has this id.')
}

/** The attester is the key's wallet; a body that names another one is an attempt to score for someone else. */
function refuseOtherAddress(body: Readonly<Record<string, unknown>>, wallet: string): void {
  for (const field of ATTESTER_ADDRESS_FIELDS) {
    const named = body[field]
    if (named === undefined || named === null) continue
    if (typeof named !== 'string' || named.toLowerCase() !== wallet) {
      throw new Refusal('attester-address-mismatch', `${field} is not the wallet of the key.`)
    }
  }
}

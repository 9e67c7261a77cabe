import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { attestScore } from '../../chain/eas/attest.js'
import type { OffchainAttestation } from '../../chain/eas/wire.js'
import { toAttestdError } from '../../core/errors.js'
import { riskOfPercent, scoreValues } from '../../core/risk.js'
import { scoreView } from '../asset-view.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreAttempt, ScoreInput } from '../books/score-book.js'
import { ATTESTER_ADDRESS_FIELDS } from '../choices.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams, ScoreBody, ScoreReply, signedSchema } from '../http/wire.js'
import { attempted, recorded, scoreHooks } from '../score-attempt.js'
import type { World } from '../world.js'
import { callerOf } from './authenticate.js'

type Body = z.infer<typeof ScoreBody>

/** POST of a score: the only route by which a score of this API comes into being. */
export function scoreRoute(app: Parameters<FastifyPluginAsyncZod>[0], world: World): void {
  app.decorateRequest('scoreAttempt', null)
  const statuses = [400, 401, 403, 404, 409, 413, 415, 429, 503] as const
  const schema = {
    ...signedSchema('attester', 'Submit a score', { 200: ScoreReply }, ...statuses),
    params: AssetParams,
    body: ScoreBody,
  }
  const hooks = scoreHooks(world, (request) => {
    const { key, wallet } = callerOf(request)
    const { deepfakeRiskScore } = request.body as Body
    return { attesterAddress: wallet, accessKey: key.accessKey, deepfakeRiskScore }
  })
  app.post('/api/v1/attester/media/:id/scores', { schema, ...hooks }, (request) =>
    attempted(request, (entry) => storeScore(world, entry, request.body)),
  )
}

async function storeScore(world: World, entry: ScoreAttempt, body: Body) {
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
  const score = recorded(entry, world.scores.record(attestation === null ? input : { ...input, attestation }))
  return { score: scoreView(score), aggregate: world.scores.aggregateOf(asset.id) }
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

/**
 * The attestation of a score that the service makes with the attester's embedded wallet, at service time. Null where the
 * provider does not hold the wallet, or there is no provider. Refuses with 503 where the provider does not sign.
 */
async function serviceAttestation(
  { embeddedWallets, walletSession, time, log }: World,
  asset: SandboxAsset,
  score: ScoreInput,
): Promise<OffchainAttestation | null> {
  if (embeddedWallets === null) return null
  try {
    const signer = await embeddedWallets(score.attesterAddress as `0x${string}`)
    if (signer === null) return null
    const { algorithm, notes } = score
    const { id: assetId, contentHash } = asset
    const stated = { ...scoreValues(riskOfPercent(score.deepfakeRiskScore)), assetId, contentHash, algorithm, notes }
    return await attestScore(walletSession.eas, signer, stated, Math.floor(time.now() / 1000), { randomBytes })
  } catch (error) {
    const { reason, message } = toAttestdError(error)
    log.warn({ reason, message, assetId: asset.id }, 'the embedded wallet did not sign an attestation')
    throw new Refusal('wallet-unavailable', `The embedded wallet of the attester did not sign: ${reason}.`)
  }
}

import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import type { z } from 'zod'
import { checkAttestedScore } from '../../chain/eas/score-data.js'
import { verifyAttestation } from '../../chain/eas/verify.js'
import type { OffchainAttestation } from '../../chain/eas/wire.js'
import { parseAttestation } from '../../chain/eas/wire.js'
import { AttestdError } from '../../core/errors.js'
import { riskOfBasisPoints, scoreValues } from '../../core/risk.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreAttempt } from '../books/score-book.js'
import { Refusal } from '../http/refusal.js'
import { AssetParams } from '../http/wire.js'
import { attempted, recorded, scoreHooks } from '../score-attempt.js'
import type { World } from '../world.js'
import { sessionOf } from './bearer.js'
import { AUTHENTICITY_TOLERANCE } from './choices.js'
import { sessionScoreView } from './views.js'
import { ScoreBody, ScoreCreatedReply, sessionSchema } from './wire.js'

type Body = z.infer<typeof ScoreBody>

/** POST of a score with its attestation. */
export function scoreRoute(app: Parameters<FastifyPluginAsyncZod>[0], world: World): void {
  app.decorateRequest('scoreAttempt', null)
  const repeated = ScoreCreatedReply.meta({ description: 'This score was on record already.' })
  const replies = { 201: ScoreCreatedReply, 200: repeated }
  const statuses = [400, 401, 403, 404, 409, 410, 413, 415] as const
  const schema = {
    ...sessionSchema('attester', 'Submit a score with its attestation', replies, ...statuses),
    description: 'The attester is the wallet of the session; attesterAddress and signature in the body are ignored.',
    params: AssetParams,
    body: ScoreBody,
  }
  const hooks = scoreHooks(world, (request) => {
    const deepfakeRiskScore = (request.body as Body).deepfakeRiskBps / 100
    return { attesterAddress: sessionOf(request).address, accessKey: null, deepfakeRiskScore }
  })
  app.post('/v1/assets/:id/scores', { schema, ...hooks }, (request, reply) =>
    attempted(request, async (entry) => {
      const stored = await storeScore(world, entry, request.body)
      return reply.code(entry.outcome === 'same' ? 200 : 201).send(stored)
    }),
  )
}

async function storeScore(world: World, entry: ScoreAttempt, body: Body) {
  refuseContradiction(body)
  const asset = world.assets.find(entry.assetId)
  if (asset === null) {
    entry.outcome = 'not-open'
    throw new Refusal('asset-unknown', 'No asset has this id.')
  }
  const attestation = await provenAttestation(world, asset, entry, body)
  if (!world.assets.isOpen(asset)) {
    entry.outcome = 'not-open'
    throw new Refusal('asset-closed', 'The asset no longer accepts scores.')
  }
  const result = world.scores.record({
    assetId: asset.id,
    attesterAddress: entry.attesterAddress,
    deepfakeRiskScore: entry.deepfakeRiskScore,
    algorithm: body.algorithm,
    notes: body.notes ?? '',
    authenticityScore: body.authenticityScore,
    attestation,
  })
  return { score: sessionScoreView(recorded(entry, result)), aggregate: world.scores.aggregateOf(asset.id) }
}

function refuseContradiction({ authenticityScore, deepfakeRiskBps }: Body): void {
  if (Math.abs(authenticityScore - (100 - deepfakeRiskBps / 100)) <= AUTHENTICITY_TOLERANCE) return
  throw new Refusal('request-invalid', 'body: /authenticityScore and /deepfakeRiskBps contradict each other')
}

/** The attestation of a score, proved to be by its attester, of its time and about this score; else a refusal. */
async function provenAttestation(
  world: World,
  asset: SandboxAsset,
  { at, attesterAddress }: ScoreAttempt,
  body: z.infer<typeof ScoreBody>,
): Promise<OffchainAttestation> {
  const { eas } = world.walletSession
  try {
    const attestation = parseAttestation(body.offchainAttestation)
    // Of both versions where none is asked for.
    const attestationVersion = world.options.eas.attestationVersion ?? attestation.version
    const profile = { ...eas, attestationVersion }
    const attester = attesterAddress as `0x${string}`
    const { time } = await verifyAttestation(attestation, { profile, attester, now: Math.floor(at / 1000) })
    checkTime(world, time, at)
    checkAttestedScore(profile, attestation, {
      ...scoreValues(riskOfBasisPoints(body.deepfakeRiskBps)),
      assetId: asset.id,
      contentHash: asset.contentHash,
      algorithm: body.algorithm,
      notes: body.notes ?? '',
    })
    return attestation
  } catch (error) {
    if (error instanceof AttestdError) throw new Refusal('attestation-invalid', error.message)
    throw error
  }
}

/** @param time of the attestation, Unix seconds @param at of the arrival, Unix milliseconds */
function checkTime({ options: { timestampWindowMs } }: World, time: number, at: number): void {
  const skewMs = time * 1000 - at
  if (Math.abs(skewMs) <= timestampWindowMs) return
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  throw new Refusal(
    'attestation-outside-window',
    `The attestation's time is ${Math.abs(skewMs)} ms ${direction} service time, ${timestampWindowMs} are allowed.`,
  )
}

import { riskOfPercent, scoreValues } from '../../core/risk.js'
import { assetView } from '../asset-view.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreRecord } from '../books/score-book.js'
import type { World } from '../world.js'
import type { SessionAsset } from './wire.js'

export function sessionAssetView(world: World, asset: SandboxAsset): SessionAsset {
  const { mediaType: _, ...view } = assetView(world, asset)
  return asset.mediaType === null ? view : { ...view, mediaType: asset.mediaType }
}

export function listedAssetView(world: World, asset: SandboxAsset) {
  return { ...sessionAssetView(world, asset), aggregate: world.scores.aggregateOf(asset.id) }
}

/** A score record of either API as this API's wire carries it; a score of the other one has no authenticity of its own. */
export function sessionScoreView(score: ScoreRecord) {
  const values = scoreValues(riskOfPercent(score.deepfakeRiskScore))
  return {
    id: score.id,
    assetId: score.assetId,
    attesterAddress: score.attesterAddress,
    authenticityScore: score.authenticityScore ?? values.authenticityScore,
    deepfakeRiskBps: values.deepfakeRiskBps,
    deepfakeRiskScore: score.deepfakeRiskScore,
    algorithm: score.algorithm,
    notes: score.notes,
    attestationUid: score.attestation?.uid ?? null,
    createdAt: new Date(score.createdAt).toISOString(),
  }
}

import type { SandboxAsset } from './books/asset-book.js'
import type { ScoreRecord } from './books/score-book.js'
import { DEFAULT_MEDIA_TYPE } from './choices.js'
import type { WireMediaAsset } from './http/wire.js'
import type { World } from './world.js'

/** An asset as the wire carries it. @param scorer wallet whose `myScore` is wanted, or null */
export function assetView(world: World, asset: SandboxAsset, scorer: string | null = null): WireMediaAsset {
  const mine = scorer === null ? null : world.scores.latestOf(asset.id, scorer)
  const { createdAt, deadlineAt: _, switchedOff: __, ...facts } = asset
  return {
    ...facts,
    status: world.assets.isOpen(asset) ? 'open' : 'closed',
    mediaType: asset.mediaType ?? DEFAULT_MEDIA_TYPE,
    scoreCount: world.scores.ofAsset(asset.id).length,
    createdAt: new Date(createdAt).toISOString(),
    myScore: mine === null ? undefined : { submitted: true as const, deepfakeRiskScore: mine.deepfakeRiskScore },
  }
}

export function stakeView(world: World, wallet: string): { stakedWei: string; minStakeWei: string } {
  const { stakedWei, minStakeWei } = world.registry.stakeOf(wallet)
  return { stakedWei: stakedWei.toString(), minStakeWei: minStakeWei.toString() }
}

/** A score record as the wire of the signed-key API carries it: of the attestation, its uid. */
export function scoreView({ attestation, ...score }: ScoreRecord) {
  return { ...score, attestationUid: attestation?.uid ?? null, createdAt: new Date(score.createdAt).toISOString() }
}

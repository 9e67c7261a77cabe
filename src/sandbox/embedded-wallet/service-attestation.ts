import { attestScore } from '../../chain/eas/attest.js'
import type { OffchainAttestation } from '../../chain/eas/attestation.js'
import { toAttestdError } from '../../core/errors.js'
import { riskOfPercent, scoreValues } from '../../core/risk.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreInput } from '../books/score-book.js'
import { Refusal } from '../http/refusal.js'
import type { World } from '../world.js'

/**
 * The attestation of a score that the service makes with the attester's embedded wallet, at service time. Null where the
 * provider does not hold the wallet, or there is no provider. Refuses with 503 where the provider does not sign.
 */
export async function serviceAttestation(
  { embeddedWallets, walletSession, time, random, log }: World,
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
    return await attestScore(walletSession.eas, signer, stated, Math.floor(time.now() / 1000), { randomBytes: random })
  } catch (error) {
    const { reason, message } = toAttestdError(error)
    log.warn({ reason, message, assetId: asset.id }, 'the embedded wallet did not sign an attestation')
    throw new Refusal('wallet-unavailable', `The embedded wallet of the attester did not sign: ${reason}.`)
  }
}

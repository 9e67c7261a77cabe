import type { z } from 'zod'
import type { OffchainAttestation } from '../../chain/eas/attestation.js'
import { checkAttestedScore } from '../../chain/eas/score-data.js'
import { verifyAttestation } from '../../chain/eas/verify.js'
import { parseAttestation } from '../../chain/eas/wire.js'
import { AttestdError } from '../../core/errors.js'
import { riskOfBasisPoints, scoreValues } from '../../core/risk.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ScoreAttempt } from '../books/score-book.js'
import { Refusal } from '../http/refusal.js'
import type { World } from '../world.js'
import type { ScoreBody } from './wire.js'

/** The attestation of a score, proved to be by its attester, of its time and about this score; else a refusal. */
export async function provenAttestation(
  world: World,
  asset: SandboxAsset,
  { at, attesterAddress }: ScoreAttempt,
  body: z.infer<typeof ScoreBody>,
): Promise<OffchainAttestation> {
  const { eas, attestationVersions } = world.walletSession
  try {
    const attestation = parseAttestation(body.offchainAttestation)
    const version = attestationVersions.includes(attestation.version) ? attestation.version : eas.attestationVersion
    const profile = { ...eas, attestationVersion: version }
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
function checkTime({ limits }: World, time: number, at: number): void {
  const skewMs = time * 1000 - at
  if (Math.abs(skewMs) <= limits.timestampWindowMs) return
  const direction = skewMs > 0 ? 'ahead of' : 'behind'
  throw new Refusal(
    'attestation-outside-window',
    `The attestation's time is ${Math.abs(skewMs)} ms ${direction} service time, ${limits.timestampWindowMs} are allowed.`,
  )
}

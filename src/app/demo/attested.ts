import type { EasProfile } from '../../chain/eas/attestation.js'
import { checkAttestedScore } from '../../chain/eas/score-data.js'
import { verifyAttestation } from '../../chain/eas/verify.js'
import { parseAttestation } from '../../chain/eas/wire.js'
import { errorText } from '../../core/errors.js'
import { riskOfPercent, scoreValues } from '../../core/risk.js'
import type { Sandbox } from '../../sandbox/create-sandbox.js'

type Score = ReturnType<Sandbox['scores']>[number]

/** What the attestation of a score is worth. */
export type Attested =
  | { readonly uid: string; readonly fault: null }
  | { readonly uid: string | null; readonly fault: string }

/**
 * Verifies the attestation of a score once more, as it would be read from a file: form, uid, signature of the attester,
 * and that it states this score.
 */
export async function attestedBy(profile: EasProfile, contentHash: string, score: Score): Promise<Attested> {
  const { assetId, algorithm, attestation, attesterAddress, notes } = score
  if (attestation === undefined) return { uid: null, fault: 'no attestation' }
  try {
    const parsed = parseAttestation(JSON.parse(JSON.stringify(attestation)))
    const attester = attesterAddress as `0x${string}`
    const { uid } = await verifyAttestation(parsed, { profile, attester, now: Math.floor(score.createdAt / 1000) })
    const values = scoreValues(riskOfPercent(score.deepfakeRiskScore))
    checkAttestedScore(profile, parsed, { ...values, assetId, contentHash, algorithm, notes })
    return { uid, fault: null }
  } catch (error) {
    return { uid: attestation.uid, fault: errorText(error) }
  }
}

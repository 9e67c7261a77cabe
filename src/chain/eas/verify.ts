import { type Address, isAddressEqual } from 'viem'
import type { EasProfile } from './attestation.js'
import { invalid, readAttestedScore } from './score-data.js'
import { signatureFault } from './signature.js'
import { ATTEST_TYPE, ATTEST_TYPES, attestationHash, attestationUid, EAS_DOMAIN_NAME } from './typed-data.js'
import type { OffchainAttestation } from './wire.js'

export interface VerifyOptions {
  readonly profile: EasProfile
  readonly attester: Address
  /** What counts as now for the expiry, Unix seconds. */
  readonly now: number
}

/**
 * Proves an attestation: of this profile, its uid its own, signed by `attester`, not expired, its data of the schema.
 * Recipient, referenced attestation and revocability may be anything: they are signed, and no part of the score.
 * @returns its uid, when it was made by its own word, Unix seconds, and the fields that the schema names (`readAttestedScore`)
 * @throws AttestdError attestation-invalid with what is wrong
 */
export async function verifyAttestation(attestation: OffchainAttestation, { profile, attester, now }: VerifyOptions) {
  const wrong = formFault(attestation, profile)
  if (wrong !== null) throw invalid(wrong)
  if (attestation.uid !== attestationUid(attestation)) throw invalid('uid is not that of its message')
  const fault = await signatureFault(attestation.signature, attestationHash(attestation), attester)
  if (fault !== null) throw invalid(`signature ${fault}`)
  const expiry = Number(attestation.message.expirationTime)
  if (expiry !== 0 && expiry <= now) throw invalid('expirationTime has passed')
  const score = readAttestedScore(profile, attestation)
  return { uid: attestation.uid, time: Number(attestation.message.time), score }
}

/** The first thing that is not as the profile has it. */
function formFault({ version, domain, message, ...rest }: OffchainAttestation, profile: EasProfile): string | null {
  if (version !== profile.attestationVersion) return `version is not ${profile.attestationVersion}`
  if (message.version !== version) return `message.version is not ${version}`
  if (domain.name !== EAS_DOMAIN_NAME) return `domain.name is not ${EAS_DOMAIN_NAME}`
  if (domain.version !== profile.domainVersion) return `domain.version is not ${profile.domainVersion}`
  if (domain.chainId !== String(profile.chainId)) return `domain.chainId is not ${profile.chainId}`
  if (!isAddressEqual(domain.verifyingContract, profile.contract)) {
    return `domain.verifyingContract is not ${profile.contract}`
  }
  if (rest.primaryType !== ATTEST_TYPE) return `primaryType is not ${ATTEST_TYPE}`
  if (!hasTypesOf(version, rest.types)) return `types are not those of version ${version}`
  if ((message.salt !== undefined) !== (version === 2)) return 'salt must be there in version 2, and only there'
  if (message.schema !== profile.schemaUid) return `schema is not ${profile.schemaUid}`
  return null
}

function hasTypesOf(version: 1 | 2, types: OffchainAttestation['types']): boolean {
  const expected = ATTEST_TYPES[version].Attest
  const fields = types[ATTEST_TYPE] ?? []
  const same = expected.every(({ name, type }, index) => fields[index]?.name === name && fields[index].type === type)
  return same && fields.length === expected.length && Object.keys(types).length === 1
}

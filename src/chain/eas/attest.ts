import { bytesToHex, type Hex, type LocalAccount, zeroAddress, zeroHash } from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { AttestedScore, EasProfile } from './attestation.js'
import { encodeScore } from './score-data.js'
import { signatureFault, splitSignature } from './signature.js'
import {
  ATTEST_TYPE,
  ATTEST_TYPES,
  attestationHash,
  attestationUid,
  EAS_DOMAIN_NAME,
  typedDataOf,
  type UnsignedAttestation,
} from './typed-data.js'
import { verifyAttestation } from './verify.js'
import type { OffchainAttestation } from './wire.js'

/** The part of a wallet that attests. */
export type AttestationSigner = Pick<LocalAccount, 'address' | 'signTypedData'>

export interface AttestOptions {
  /** Chance for the salt of version 2. */
  randomBytes(size: number): Uint8Array
}

/** Bytes of a salt. Source: EAS SDK, `SALT_SIZE`. */
const SALT_BYTES = 32

/**
 * Signs a score as an off-chain attestation to nobody in particular, revocable and without an end, and proves it before
 * it is given out: uid, signature and data are checked as a service would.
 * @param time when it is made, Unix seconds
 * @throws as `attestData`, and attestation-invalid for values that cannot be attested
 */
export async function attestScore(
  profile: EasProfile,
  signer: AttestationSigner,
  score: AttestedScore,
  time: number,
  options: AttestOptions,
): Promise<OffchainAttestation> {
  const attestation = await attestData(profile, signer, encodeScore(profile, score), time, options)
  await verifyAttestation(attestation, { profile, attester: signer.address, now: time })
  return attestation
}

/**
 * The same for data of any schema: what is proved is the signature, not what the data states.
 * @throws AttestdError attestation-invalid for a time that is none, signature-wrong where the wallet's signature is not its
 * address's or not the canonical one, and what the wallet throws
 */
export async function attestData(
  profile: Omit<EasProfile, 'schema' | 'fields'>,
  signer: AttestationSigner,
  data: Hex,
  time: number,
  options: AttestOptions,
): Promise<OffchainAttestation> {
  const unsigned = unsignedAttestation(profile, data, time, options)
  const signature = splitSignature(await signer.signTypedData(typedDataOf(unsigned)))
  if (signature === null) throw wrong('is not 65 bytes in hex')
  const fault = await signatureFault(signature, attestationHash(unsigned), signer.address)
  if (fault !== null) throw wrong(fault)
  return { ...unsigned, uid: attestationUid(unsigned), signature }
}

function unsignedAttestation(
  profile: Omit<EasProfile, 'schema' | 'fields'>,
  data: Hex,
  time: number,
  { randomBytes }: AttestOptions,
): UnsignedAttestation {
  const version = profile.attestationVersion
  if (!Number.isSafeInteger(time) || time < 0) {
    throw new AttestdError('attestation-invalid', 'The time to attest is not whole Unix seconds.')
  }
  const salt: { salt?: Hex } = version === 2 ? { salt: bytesToHex(randomBytes(SALT_BYTES)) } : {}
  return {
    version,
    domain: {
      name: EAS_DOMAIN_NAME,
      version: profile.domainVersion,
      chainId: String(profile.chainId),
      verifyingContract: profile.contract,
    },
    primaryType: ATTEST_TYPE,
    types: { [ATTEST_TYPE]: [...ATTEST_TYPES[version][ATTEST_TYPE]] },
    message: {
      version,
      schema: profile.schemaUid,
      recipient: zeroAddress,
      time: String(time),
      expirationTime: '0',
      revocable: true,
      refUID: zeroHash,
      data,
      ...salt,
    },
  }
}

const wrong = (what: string) => new AttestdError('signature-wrong', `The wallet's signature ${what}.`)

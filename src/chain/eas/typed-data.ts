import { encodePacked, type Hex, hashTypedData, keccak256, stringToHex, zeroAddress } from 'viem'
import type { OffchainAttestation } from './wire.js'

/** Name of the EIP-712 domain. Source: EAS SDK, `versions.ts`. */
export const EAS_DOMAIN_NAME = 'EAS Attestation'
export const ATTEST_TYPE = 'Attest'

const VERSION_1_FIELDS = [
  { name: 'version', type: 'uint16' },
  { name: 'schema', type: 'bytes32' },
  { name: 'recipient', type: 'address' },
  { name: 'time', type: 'uint64' },
  { name: 'expirationTime', type: 'uint64' },
  { name: 'revocable', type: 'bool' },
  { name: 'refUID', type: 'bytes32' },
  { name: 'data', type: 'bytes' },
] as const

/** The EIP-712 types of each version of off-chain attestations. Source: EAS SDK, `OFFCHAIN_ATTESTATION_TYPES`. */
export const ATTEST_TYPES = {
  1: { Attest: VERSION_1_FIELDS },
  2: { Attest: [...VERSION_1_FIELDS, { name: 'salt', type: 'bytes32' }] },
} as const

/** An attestation before it has an identity and a signature. */
export type UnsignedAttestation = Omit<OffchainAttestation, 'uid' | 'signature'>

/** What a wallet signs, as viem takes it. */
export function typedDataOf({ version, domain, message }: UnsignedAttestation) {
  return {
    // viem leaves a chain id that is text out of the hash without a word.
    domain: { ...domain, chainId: Number(domain.chainId) },
    primaryType: ATTEST_TYPE,
    types: ATTEST_TYPES[version] as Record<string, readonly { name: string; type: string }[]>,
    message: { ...message, time: BigInt(message.time), expirationTime: BigInt(message.expirationTime) },
  }
}

/** The EIP-712 hash that is signed. */
export const attestationHash = (attestation: UnsignedAttestation): Hex => hashTypedData(typedDataOf(attestation))

/** The uid of an attestation; it does not depend on domain and signature. Source: EAS SDK, `getOffchainUID`. */
export function attestationUid({ version, message }: UnsignedAttestation): Hex {
  const packed = encodePacked(
    ['uint16', 'bytes', 'address', 'address', 'uint64', 'uint64', 'bool', 'bytes32', 'bytes', 'bytes', 'uint32'],
    [
      version,
      // The text of the hex, not the bytes that it stands for.
      stringToHex(message.schema),
      message.recipient,
      zeroAddress,
      BigInt(message.time),
      BigInt(message.expirationTime),
      message.revocable,
      message.refUID,
      message.data,
      version === 2 ? (message.salt ?? '0x') : '0x',
      0,
    ],
  )
  return keccak256(packed)
}

import { readFileSync } from 'node:fs'
import { type Hex, hexToBytes } from 'viem'
import type { AttestedScore } from '../../src/chain/eas/attestation.js'
import { easProfile } from '../../src/chain/eas/profile.js'
import type { OffchainAttestation } from '../../src/chain/eas/wire.js'
import { packagePath } from '../../src/core/files.js'

/** An attestation made by EAS's own SDK, with all that it was made from; see make-eas-vectors.cjs. */
export interface EasVector {
  readonly name: string
  readonly chainId: number
  readonly domainVersion: string
  readonly attestationVersion: 1 | 2
  readonly schema: string
  readonly schemaUid: Hex
  readonly privateKey: Hex
  readonly score: AttestedScore
  /** Unix seconds. */
  readonly time: number
  /** Null in version 1. */
  readonly salt: Hex | null
  readonly attester: Hex
  /** EIP-712 hash that was signed. */
  readonly hash: Hex
  /** As JSON of the SDK's object. */
  readonly attestation: OffchainAttestation
}

export function readEasVectors(): EasVector[] {
  const text = readFileSync(packagePath('test', 'vectors', 'eas-offchain.json'), 'utf8')
  return (JSON.parse(text) as { vectors: EasVector[] }).vectors
}

/** The profile that a vector was made for. */
export function profileOf(vector: EasVector) {
  const { chainId, domainVersion, attestationVersion, schema } = vector
  const contract = '0x4200000000000000000000000000000000000021'
  return easProfile({ chainId, contract, domainVersion, attestationVersion, schema, schemaUid: null })
}

/** The salt of a vector as chance; nothing else may be asked of chance. */
export function saltOf({ salt }: EasVector) {
  return {
    randomBytes(size: number) {
      if (salt === null || size !== 32) throw new Error(`${size} random bytes are none of the vector's`)
      return hexToBytes(salt)
    },
  }
}

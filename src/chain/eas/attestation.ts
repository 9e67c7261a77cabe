import type { Address, Hex } from 'viem'
import type { ScoreValues } from '../../core/risk.js'

/** Where and how attestations are made: everything of them that is the same for each. */
export interface EasProfile {
  readonly chainId: number
  /** The EAS contract, `verifyingContract` of the domain. */
  readonly contract: Address
  /** `version()` of that contract, `version` of the domain. */
  readonly domainVersion: string
  readonly attestationVersion: 1 | 2
  /** Solidity fields of the data, for instance `string assetId,uint16 deepfakeRiskBps`. */
  readonly schema: string
  readonly fields: readonly SchemaField[]
  readonly schemaUid: Hex
}

/** One field of a schema: a part of the score as a Solidity type. */
export interface SchemaField {
  readonly name: keyof AttestedScore
  /** `string`, `bytes32`, or `uint` with its bits. */
  readonly type: string
}

/** What an attestation states; a schema takes the fields that it names. */
export interface AttestedScore extends ScoreValues {
  readonly assetId: string
  readonly contentHash: string
  readonly algorithm: string
  readonly notes: string
}

import { type Address, getAddress, type Hex } from 'viem'
import { networkOf } from '../networks.js'
import type { EasProfile } from './attestation.js'
import { parseSchema, schemaUidOf } from './schema.js'

export interface EasProfileOptions {
  readonly chainId: number
  readonly contract: Address
  /** '' for that of the chain's own EAS contract, see `networkOf`. */
  readonly domainVersion: string
  readonly attestationVersion: 1 | 2
  readonly schema: string
  /** Null for the uid of a schema that is revocable and has no resolver. */
  readonly schemaUid: Hex | null
}

/** Everything that is the same for each attestation. @throws AttestdError setting-invalid */
export function easProfile(options: EasProfileOptions): EasProfile {
  const { chainId, attestationVersion, schema } = options
  return {
    chainId,
    contract: getAddress(options.contract),
    domainVersion: options.domainVersion || networkOf(chainId).easDomainVersion,
    attestationVersion,
    schema,
    fields: parseSchema(schema),
    schemaUid: (options.schemaUid?.toLowerCase() as Hex | undefined) ?? schemaUidOf(schema),
  }
}

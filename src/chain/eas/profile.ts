import { getAddress, type Hex } from 'viem'
import { networkOf } from '../networks.js'
import type { EasProfile } from './attestation.js'
import { parseSchema, schemaUidOf } from './schema.js'

/** `domainVersion` '': that of the chain's own EAS contract; `schemaUid` null: of a revocable schema without resolver. */
export type EasProfileOptions = Omit<EasProfile, 'fields' | 'schemaUid'> & { readonly schemaUid: Hex | null }

/** Everything that is the same for each attestation. @throws AttestdError setting-invalid */
export function easProfile(options: EasProfileOptions): EasProfile {
  const { chainId, schema } = options
  return {
    ...options,
    contract: getAddress(options.contract),
    domainVersion: options.domainVersion || networkOf(chainId).easDomainVersion,
    fields: parseSchema(schema),
    schemaUid: (options.schemaUid?.toLowerCase() as Hex | undefined) ?? schemaUidOf(schema),
  }
}

import { randomBytes } from 'node:crypto'
import { encodeAbiParameters, getAddress, type Hex, parseAbiParameters } from 'viem'
import { type AttestationSigner, attestData } from '../../chain/eas/attest.js'
import { schemaUidOf } from '../../chain/eas/schema.js'
import type { OffchainAttestation } from '../../chain/eas/wire.js'
import { networkOf } from '../../chain/networks.js'
import type { Settings } from '../../config/settings.js'

/** Signs off-chain that the submitter stands for this content at this place. @throws AttestdError wallet-*, signature-wrong */
export type AttestUpload = (
  upload: { readonly contentHash: Hex; readonly uri: string },
  /** Unix milliseconds. */
  now: number,
) => Promise<OffchainAttestation>

/** What a contributor attestation states; the specifications name no schema for it. */
const CONTRIBUTOR_SCHEMA = 'bytes32 contentHash,string uri'

/** Attests uploads by a wallet, with the EAS of the settings. */
export function contributorAttestations(settings: Settings, signer: AttestationSigner): AttestUpload {
  const { chainId, easAttestationVersion, easContract, easDomainVersion } = settings
  const profile = {
    chainId,
    contract: getAddress(easContract),
    domainVersion: easDomainVersion || networkOf(chainId).easDomainVersion,
    attestationVersion: easAttestationVersion === '1' ? 1 : 2,
    schemaUid: schemaUidOf(CONTRIBUTOR_SCHEMA),
  } as const
  return ({ contentHash, uri }, now) => {
    const data = encodeAbiParameters(parseAbiParameters(CONTRIBUTOR_SCHEMA), [contentHash, uri])
    return attestData(profile, signer, data, Math.floor(now / 1000), { randomBytes })
  }
}

import type { Hex } from 'viem'
import type { OffchainAttestation } from '../../chain/eas/attestation.js'

/** Signs off-chain that the submitter stands for this content at this place. Throws `wallet-*`. */
export type AttestUpload = (upload: { readonly contentHash: Hex; readonly uri: string }) => Promise<OffchainAttestation>

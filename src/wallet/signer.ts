import type { LocalAccount } from 'viem'

/**
 * What every wallet is to the rest of attestd: the signing half of a viem `LocalAccount`. It signs text (EIP-191) and
 * typed data (EIP-712) and never a transaction, so a service that is let near it can cost reputation but no funds.
 * Signing throws `wallet-*`, or `signature-wrong` where what came back is not a signature of `address`.
 */
export type Signer = Pick<LocalAccount, 'address' | 'signMessage' | 'signTypedData'>

import type { Address } from 'viem'
import { AttestdError } from '../core/errors.js'
import type { PrivyFetchOptions } from './privy-fetch.js'
import type { PrivyWallet } from './privy-wallet.js'
import type { Signer } from './signer.js'
import { verifiedSigner } from './verified-signer.js'

/** Which wallet, with exactly what its kind needs. */
export type WalletChoice = (
  | { readonly kind: 'local' /** 0x and 64 hex characters. */; readonly key: string }
  | { readonly kind: 'keystore'; readonly file: string; readonly password: string }
  | ({ readonly kind: 'privy' } & PrivyWallet)
) & {
  /** A wallet of another address is refused. */
  readonly expectedAddress?: Address | undefined
}

/** How requests to a provider are timed and ended; its time limit is part of the choice. */
export type OpenSignerOptions = Omit<PrivyFetchOptions, 'timeoutMs'>

/** Opens the chosen wallet as a signer; every signature of it is verified before it is handed out. @throws AttestdError wallet-unusable */
export async function openSigner(choice: WalletChoice, options: OpenSignerOptions): Promise<Signer> {
  const signer = verifiedSigner(await openKind(choice, options))
  const { expectedAddress } = choice
  if (expectedAddress !== undefined && expectedAddress.toLowerCase() !== signer.address.toLowerCase()) {
    throw new AttestdError(
      'wallet-unusable',
      `The wallet has the address ${signer.address}, but ${expectedAddress} is expected.`,
    )
  }
  return signer
}

/** Each kind is loaded when it is chosen: Privy's library is large. */
async function openKind(choice: WalletChoice, { clock, signal }: OpenSignerOptions): Promise<Signer> {
  switch (choice.kind) {
    case 'local': {
      const { openLocalWallet } = await import('./local-wallet.js')
      return openLocalWallet(choice.key)
    }
    case 'keystore': {
      const { openKeystore } = await import('./keystore.js')
      return openKeystore(choice.file, choice.password)
    }
    case 'privy': {
      const { openPrivyWallet } = await import('./privy-wallet.js')
      return openPrivyWallet(choice, { clock, signal })
    }
  }
}

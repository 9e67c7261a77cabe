import type { Address } from 'viem'
import type { Clock } from '../core/clock.js'
import { AttestdError } from '../core/errors.js'
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

export interface OpenSignerOptions {
  /** Times the requests to a provider. */
  readonly clock: Clock
  /** Ends requests to a provider that are under way, with its own reason. */
  readonly signal?: AbortSignal | undefined
}

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

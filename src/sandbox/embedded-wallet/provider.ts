import type { Hex } from 'viem'
import type { AttestationSigner } from '../../chain/eas/attest.js'
import type { OpenWalletOptions } from '../../wallet/open-wallet.js'
import type { PrivyWallet } from '../../wallet/privy-wallet.js'
import type { WalletKeys } from '../wallet-keys.js'
import { localProvider } from './local-provider.js'
import { privyProvider } from './privy-provider.js'

/** Holds wallets for their owners and signs with them: v1's attestations are signed by the service there. */
export interface EmbeddedWallets {
  readonly kind: 'local' | 'privy'
  /**
   * The wallet of an address (lower case); null where the provider does not hold it.
   * Throws `wallet-*` where the provider cannot be asked; signing does too.
   */
  signerOf(wallet: Hex): Promise<AttestationSigner | null>
}

/** `local`: the private keys that the sandbox made. `privy`: wallets at Privy, by their address. */
export type EmbeddedWalletOptions =
  | { readonly kind: 'local' }
  | ({
      readonly kind: 'privy'
      /** Id at Privy of each wallet, by its address. */
      readonly walletIds: Readonly<Record<string, string>>
    } & Omit<PrivyWallet, 'walletId' | 'address'>)

/** @param requests how requests to a provider are timed and ended */
export function openEmbeddedWallets(
  options: EmbeddedWalletOptions,
  keys: WalletKeys,
  requests: OpenWalletOptions,
): EmbeddedWallets {
  return options.kind === 'local' ? localProvider(keys) : privyProvider(options, requests)
}

import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { AttestationSigner } from '../../chain/eas/attest.js'
import { type OpenSignerOptions, openSigner } from '../../wallet/open-signer.js'
import type { PrivyWallet } from '../../wallet/privy-wallet.js'
import type { Signer } from '../../wallet/signer.js'
import type { WalletKeys } from '../books/wallets.js'

/**
 * The wallet of an address (lower case) at its provider, which signs v1's attestations; null where the provider does not
 * hold it.
 * @throws AttestdError wallet-* where the provider cannot be asked; signing does too
 */
export type EmbeddedWallets = (wallet: Hex) => Promise<AttestationSigner | null>

/** `local`: the private keys that the sandbox made. `privy`: wallets at Privy, by their address. */
export type EmbeddedWalletOptions =
  | { readonly kind: 'local' }
  | ({
      readonly kind: 'privy'
      readonly walletIds: Readonly<Record<string, string>>
    } & Omit<PrivyWallet, 'walletId' | 'address'>)

/** @param requests how requests to a provider are timed and ended */
export function openEmbeddedWallets(
  options: EmbeddedWalletOptions,
  keys: WalletKeys,
  requests: OpenSignerOptions,
): EmbeddedWallets {
  if (options.kind === 'privy') return privyWallets(options, requests)
  return async (wallet) => {
    const privateKey = keys.of(wallet)
    return privateKey === null ? null : privateKeyToAccount(privateKey)
  }
}

/** Wallets at Privy, through the same signer as the daemon's: each signature is verified before it is used. */
function privyWallets(
  { kind, walletIds, ...app }: Extract<EmbeddedWalletOptions, { kind: 'privy' }>,
  requests: OpenSignerOptions,
): EmbeddedWallets {
  const ids = new Map(Object.entries(walletIds).map(([wallet, id]) => [wallet.toLowerCase(), id]))
  const opened = new Map<Hex, Signer>()
  return async (wallet) => {
    const walletId = ids.get(wallet)
    if (walletId === undefined) return null
    const signer = opened.get(wallet) ?? (await openSigner({ ...app, kind, walletId, address: wallet }, requests))
    opened.set(wallet, signer)
    return signer
  }
}

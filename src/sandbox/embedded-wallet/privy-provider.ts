import type { Hex } from 'viem'
import { openSigner } from '../../wallet/open-signer.js'
import type { Signer } from '../../wallet/signer.js'
import type { EmbeddedWalletOptions, EmbeddedWallets } from './provider.js'

/** Wallets at Privy, through the same signer as the daemon's: each signature is verified before it is used. */
export function privyProvider(
  { kind, walletIds, ...app }: Extract<EmbeddedWalletOptions, { kind: 'privy' }>,
  signal: AbortSignal,
): EmbeddedWallets {
  const ids = new Map(Object.entries(walletIds).map(([wallet, id]) => [wallet.toLowerCase(), id]))
  const opened = new Map<Hex, Signer>()
  return {
    kind,
    signerOf: async (wallet) => {
      const walletId = ids.get(wallet)
      if (walletId === undefined) return null
      const signer = opened.get(wallet) ?? (await openSigner({ ...app, kind, walletId, address: wallet }, { signal }))
      opened.set(wallet, signer)
      return signer
    },
  }
}

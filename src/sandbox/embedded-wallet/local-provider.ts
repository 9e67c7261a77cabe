import { privateKeyToAccount } from 'viem/accounts'
import type { WalletKeys } from '../wallet-keys.js'
import type { EmbeddedWallets } from './provider.js'

/** The wallets whose private keys the sandbox made. */
export function localProvider(keys: WalletKeys): EmbeddedWallets {
  return {
    kind: 'local',
    signerOf: async (wallet) => {
      const privateKey = keys.of(wallet)
      return privateKey === null ? null : privateKeyToAccount(privateKey)
    },
  }
}

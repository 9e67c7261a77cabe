import { type Hex, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { DevelopmentWallet } from './development-wallets.js'
import type { RandomBytes } from './key-ring.js'

/** Private keys of the wallets that the sandbox made, by address. */
export class WalletKeys {
  readonly #random: RandomBytes
  readonly #keep: (wallet: DevelopmentWallet) => void
  readonly #keys = new Map<Hex, Hex>()

  /** @param options keep: called with each new wallet before it counts; it can refuse by throwing */
  constructor(options: { random: RandomBytes; keep: (wallet: DevelopmentWallet) => void }) {
    this.#random = options.random
    this.#keep = options.keep
  }

  /** Makes up a wallet. @returns its address */
  create(): Hex {
    const privateKey = toHex(this.#random(32))
    const wallet = { address: privateKeyToAddress(privateKey).toLowerCase() as Hex, privateKey }
    this.#keep(wallet)
    this.restore(wallet)
    return wallet.address
  }

  /** Takes a wallet as it is: one of the options, or what was kept of an earlier run. */
  restore({ address, privateKey }: DevelopmentWallet): void {
    this.#keys.set(address, privateKey)
  }

  /** @param wallet lower case @returns null where the sandbox knows no key of it */
  of(wallet: Hex): Hex | null {
    return this.#keys.get(wallet) ?? null
  }
}

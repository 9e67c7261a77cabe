import { type Hex, isHex, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { RandomBytes } from './key-ring.js'

/** A wallet whose private key the sandbox gives away: it holds nothing but a role here. */
export interface DevelopmentWallet {
  /** 0x and 40 hex characters, lower case. */
  readonly address: Hex
  /** 0x and 64 hex characters. */
  readonly privateKey: Hex
}

/** The wallets that have a role from the start, one for each. */
export interface DevelopmentWallets {
  readonly attester: DevelopmentWallet
  readonly submitter: DevelopmentWallet
}

/** Private keys that are the same in every run, for fixed tests. */
export type FixedWallets = Partial<Readonly<Record<keyof DevelopmentWallets, Hex>>>

/** Makes up the private keys that are not given. */
export function developmentWallets(random: RandomBytes, fixed: FixedWallets = {}): DevelopmentWallets {
  return {
    attester: walletOf(fixed.attester ?? toHex(random(32))),
    submitter: walletOf(fixed.submitter ?? toHex(random(32))),
  }
}

/** Whether a text is a private key of secp256k1, as 0x and 64 hex characters. */
export function isPrivateKey(text: string): text is Hex {
  if (!isHex(text) || text.length !== 66) return false
  try {
    privateKeyToAddress(text)
    return true
  } catch {
    return false
  }
}

function walletOf(privateKey: Hex): DevelopmentWallet {
  return { address: privateKeyToAddress(privateKey).toLowerCase() as Hex, privateKey }
}

/** Private keys of the wallets that the sandbox made. */
export class WalletKeys {
  readonly #random: RandomBytes
  readonly #touched: () => void
  readonly #keys = new Map<Hex, Hex>()
  readonly #made: Hex[] = []

  /** @param options wallets: those with a role; touched: follows each new one; kept: private keys made in an earlier run */
  constructor(options: {
    random: RandomBytes
    wallets: DevelopmentWallets
    touched: () => void
    kept: readonly Hex[]
  }) {
    this.#random = options.random
    this.#touched = options.touched
    for (const { address, privateKey } of Object.values(options.wallets)) this.#keys.set(address, privateKey)
    for (const privateKey of options.kept) this.#add(privateKey)
  }

  /** Makes up a wallet. @returns its address */
  create(): Hex {
    const address = this.#add(toHex(this.#random(32)))
    this.#touched()
    return address
  }

  /** @param wallet lower case @returns null where the sandbox knows no key of it */
  of(wallet: Hex): Hex | null {
    return this.#keys.get(wallet) ?? null
  }

  /** The private keys that were made for new keys. */
  made(): Hex[] {
    return [...this.#made]
  }

  #add(privateKey: Hex): Hex {
    const { address } = walletOf(privateKey)
    this.#keys.set(address, privateKey)
    this.#made.push(privateKey)
    return address
  }
}

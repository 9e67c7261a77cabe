import { randomBytes } from 'node:crypto'
import { type Hex, isHex, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { z } from 'zod'
import type { KeyKind } from '../../service/signed-key/schemas.js'

/** A wallet whose private key the sandbox gives away: it holds nothing but a role here. */
export interface DevelopmentWallet {
  /** 0x and 40 hex characters, lower case. */
  readonly address: Hex
  /** 0x and 64 hex characters. */
  readonly privateKey: Hex
}

/** The wallets that have a role from the start, one for each. */
export type DevelopmentWallets = Readonly<Record<KeyKind, DevelopmentWallet>>

/** A private key of secp256k1, as 0x and 64 hex characters. */
export const privateKeySchema = z.custom<Hex>(isPrivateKey, 'must be a private key: 0x and 64 hex characters')

function isPrivateKey(value: unknown): boolean {
  if (!isHex(value) || value.length !== 66) return false
  try {
    privateKeyToAddress(value)
    return true
  } catch {
    return false
  }
}

export function developmentWallet(privateKey: Hex): DevelopmentWallet {
  return { address: privateKeyToAddress(privateKey).toLowerCase() as Hex, privateKey }
}

/** Private keys of the wallets that the sandbox made. */
export class WalletKeys {
  readonly #touched: () => void
  readonly #keys = new Map<Hex, Hex>()
  readonly #made: Hex[] = []

  /** @param options wallets: those with a role; touched: follows each new one; kept: private keys made in an earlier run */
  constructor(options: { wallets: DevelopmentWallets; touched: () => void; kept: readonly Hex[] }) {
    this.#touched = options.touched
    for (const { address, privateKey } of Object.values(options.wallets)) this.#keys.set(address, privateKey)
    for (const privateKey of options.kept) this.#add(privateKey)
  }

  /** Makes up a wallet. @returns its address */
  create(): Hex {
    const address = this.#add(toHex(randomBytes(32)))
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
    const { address } = developmentWallet(privateKey)
    this.#keys.set(address, privateKey)
    this.#made.push(privateKey)
    return address
  }
}

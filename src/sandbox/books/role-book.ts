import type { Hex } from 'viem'
import type { Roles } from '../registry/stake-registry.js'

const NO_ROLES: Roles = { submitter: false, attester: false }

/** Called with each change, before it counts: it can refuse by throwing. */
export type KeepRoles = (wallet: Hex, roles: Roles) => void

/** Roles of each wallet as the sandbox wants them in the stake contract. Wallets are lower case. */
export class RoleBook {
  readonly #initial: ReadonlyMap<Hex, Roles>
  readonly #keep: KeepRoles
  #roles: Map<Hex, Roles>

  constructor(initial: ReadonlyMap<Hex, Roles>, keep: KeepRoles = () => {}) {
    this.#initial = initial
    this.#keep = keep
    this.#roles = new Map(initial)
  }

  of(wallet: string): Roles {
    return this.#roles.get(lower(wallet)) ?? NO_ROLES
  }

  set(wallet: string, { submitter, attester }: Roles): void {
    const held = this.of(wallet)
    if (held.submitter === submitter && held.attester === attester) return
    this.#keep(lower(wallet), { submitter, attester })
    this.#roles.set(lower(wallet), { submitter, attester })
  }

  /** What was kept of an earlier run. */
  restore(wallet: Hex, roles: Roles): void {
    this.#roles.set(wallet, roles)
  }

  /** Every wallet that has, or had, a role. */
  wallets(): Hex[] {
    return [...this.#roles.keys()]
  }

  reset(): void {
    this.#roles = new Map(this.#initial)
  }
}

function lower(wallet: string): Hex {
  return wallet.toLowerCase() as Hex
}

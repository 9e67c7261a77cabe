import type { Address } from 'viem'
import type { ServiceTime } from '../service-time.js'
import type { StakeBook, WalletStake } from '../stake-book.js'
import type { Roles, StakeRegistry } from './stake-registry.js'

const NO_ROLES: Roles = { submitter: false, attester: false }

/** The stake contract without a chain: roles in a map, stake in the book that the signed-key API reads too. */
export class MemoryRegistry implements StakeRegistry {
  readonly kind = 'memory'
  readonly chainId: number
  readonly contract = null
  readonly rpcUrl = null
  readonly #time: ServiceTime
  readonly #stakes: StakeBook
  readonly #roles = new Map<string, Roles>()

  constructor(options: { chainId: number; time: ServiceTime; stakes: StakeBook }) {
    this.chainId = options.chainId
    this.#time = options.time
    this.#stakes = options.stakes
  }

  async head(): Promise<{ number: bigint; timestamp: number }> {
    const timestamp = Math.floor(this.#time.now() / 1000)
    return { number: BigInt(timestamp), timestamp }
  }

  async rolesOf(wallet: Address): Promise<Roles> {
    return this.#roles.get(wallet.toLowerCase()) ?? NO_ROLES
  }

  async stakeOf(wallet: Address): Promise<WalletStake> {
    return this.#stakes.of(wallet)
  }

  async setRoles(wallet: Address, roles: Roles): Promise<void> {
    this.#roles.set(wallet.toLowerCase(), roles)
  }

  async setStake(wallet: Address, stakedWei: bigint): Promise<void> {
    this.#stakes.set(wallet, stakedWei)
  }

  async setMinimum(minStakeWei: bigint): Promise<void> {
    this.#stakes.setMinimum(minStakeWei)
  }

  async close(): Promise<void> {}
}

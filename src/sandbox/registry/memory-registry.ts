import type { Address } from 'viem'
import { AttestdError } from '../../core/errors.js'
import type { RoleBook } from '../books/role-book.js'
import type { StakeBook, WalletStake } from '../books/stake-book.js'
import type { ServiceTime } from '../service-time.js'
import type { RegistryChain, Roles, StakeRegistry } from './stake-registry.js'

/** The stake contract without a chain: roles and stake in the books that the signed-key API reads too. */
export class MemoryRegistry implements StakeRegistry {
  readonly kind = 'memory'
  readonly chainId: number
  readonly contract = null
  readonly rpcUrl = null
  readonly chain: RegistryChain = {
    pid: null,
    stop: async () => this.#setStopped(true),
    start: async () => this.#setStopped(false),
    mirror: async () => {},
  }
  readonly #time: ServiceTime
  readonly #stakes: StakeBook
  readonly #roles: RoleBook
  #stopped = false

  constructor(options: { chainId: number; time: ServiceTime; stakes: StakeBook; roles: RoleBook }) {
    this.chainId = options.chainId
    this.#time = options.time
    this.#stakes = options.stakes
    this.#roles = options.roles
  }

  async head(): Promise<{ number: bigint; timestamp: number }> {
    this.#refuseWhenStopped()
    const timestamp = Math.floor(this.#time.now() / 1000)
    return { number: BigInt(timestamp), timestamp }
  }

  async rolesOf(wallet: Address): Promise<Roles> {
    this.#refuseWhenStopped()
    return this.#roles.of(wallet)
  }

  async stakeOf(wallet: Address): Promise<WalletStake> {
    this.#refuseWhenStopped()
    return this.#stakes.of(wallet)
  }

  async setRoles(wallet: Address, roles: Roles): Promise<void> {
    this.#roles.set(wallet, roles)
  }

  async setStake(wallet: Address, stakedWei: bigint): Promise<void> {
    this.#stakes.set(wallet, stakedWei)
  }

  async setMinimum(minStakeWei: bigint): Promise<void> {
    this.#stakes.setMinimum(minStakeWei)
  }

  async close(): Promise<void> {}

  #setStopped(stopped: boolean): void {
    this.#stopped = stopped
  }

  #refuseWhenStopped(): void {
    if (this.#stopped) throw new AttestdError('rpc-unreachable', 'The registry in memory was stopped.')
  }
}

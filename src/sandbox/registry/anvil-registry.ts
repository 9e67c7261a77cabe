import type { Address, Hex } from 'viem'
import type { Clock } from '../../core/clock.js'
import { AttestdError, errorText, toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { RoleBook } from '../books/role-book.js'
import type { StakeBook, WalletStake } from '../books/stake-book.js'
import { LocalChain } from './local-chain.js'
import type { RegistryChain, Roles, StakeRegistry } from './stake-registry.js'

/** What `stakes` and `roles` hold at the opening is written to the contract at once, and again after a restart. */
export interface AnvilRegistryOptions {
  /** From `findAnvil`. */
  readonly binary: string
  readonly chainId: number
  readonly stakes: StakeBook
  readonly roles: RoleBook
  readonly clock: Clock
  readonly log: Log
  /** Ends a start that is under way. */
  readonly signal: AbortSignal
}

/**
 * The stake contract on a local chain. What it answers is read from the contract each time; the books hold what the
 * contract is meant to hold, so that a chain that was stopped can be built again.
 */
export class AnvilRegistry implements StakeRegistry {
  readonly kind = 'anvil'
  readonly chain: RegistryChain
  readonly #local: LocalChain
  readonly #stakes: StakeBook
  readonly #roles: RoleBook
  /** Every wallet that was ever written to the contract. */
  readonly #written = new Set<Hex>()

  /** @throws AttestdError local-chain-failed */
  static async open(options: AnvilRegistryOptions): Promise<AnvilRegistry> {
    const { binary, chainId, stakes, clock, log, signal } = options
    const minimumWei = stakes.minStakeWei
    const local = await LocalChain.start({ binary, chainId, minimumWei, clock, log, signal }).catch(failed)
    const registry = new AnvilRegistry(local, options)
    try {
      await registry.#mirror()
      return registry
    } catch (error) {
      await local.close()
      return failed(error)
    }
  }

  private constructor(local: LocalChain, { stakes, roles }: AnvilRegistryOptions) {
    this.#local = local
    this.#stakes = stakes
    this.#roles = roles
    this.chain = {
      get pid() {
        return local.pid
      },
      stop: () => local.stop(),
      start: async () => {
        await local.restart().catch(failed)
        await this.#mirror()
      },
      mirror: () => this.#mirror(),
    }
  }

  get chainId(): number {
    return this.#local.chainId
  }

  get contract(): Address {
    return this.#local.contract
  }

  get rpcUrl(): string {
    return this.#local.rpcUrl
  }

  head(): Promise<{ number: bigint; timestamp: number }> {
    return this.#asked(() => this.#local.head())
  }

  rolesOf(wallet: Address): Promise<Roles> {
    return this.#asked(async () => {
      const [submitter, attester] = await Promise.all([
        this.#local.read('isSubmitter', [lower(wallet)]),
        this.#local.read('isAttester', [lower(wallet)]),
      ])
      return { submitter, attester }
    })
  }

  stakeOf(wallet: Address): Promise<WalletStake> {
    return this.#asked(async () => {
      const [stakedWei, minStakeWei] = await Promise.all([
        this.#local.read('stakeOf', [lower(wallet)]),
        this.#local.read('minimumStake', []),
      ])
      return { stakedWei, minStakeWei }
    })
  }

  async setRoles(wallet: Address, roles: Roles): Promise<void> {
    this.#roles.set(wallet, roles)
    await this.#asked(() => this.#writeRoles(wallet))
  }

  async setStake(wallet: Address, stakedWei: bigint): Promise<void> {
    this.#stakes.set(wallet, stakedWei)
    await this.#asked(() => this.#writeStake(wallet))
  }

  async setMinimum(minStakeWei: bigint): Promise<void> {
    this.#stakes.setMinimum(minStakeWei)
    await this.#asked(() => this.#local.write('setMinimum', [minStakeWei]))
  }

  close(): Promise<void> {
    return this.#local.close()
  }

  /** A wallet that has a role is a registered one, so the contract holds the stake that the books give it. */
  async #mirror(): Promise<void> {
    await this.#local.write('setMinimum', [this.#stakes.minStakeWei])
    for (const wallet of new Set([...this.#written, ...this.#roles.wallets(), ...this.#stakes.wallets()])) {
      await this.#writeRoles(wallet)
      await this.#writeStake(wallet)
    }
  }

  async #writeRoles(wallet: Address): Promise<void> {
    this.#written.add(lower(wallet))
    const { submitter, attester } = this.#roles.of(wallet)
    await this.#local.write('setRoles', [lower(wallet), submitter, attester])
  }

  async #writeStake(wallet: Address): Promise<void> {
    this.#written.add(lower(wallet))
    await this.#local.write('setStake', [lower(wallet), this.#stakes.of(wallet).stakedWei])
  }

  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw toAttestdError(error, 'rpc-unreachable')
    }
  }
}

function failed(cause: unknown): never {
  throw new AttestdError('local-chain-failed', `The local chain did not start: ${errorText(cause)}`, { cause })
}

/** viem refuses an address in mixed case whose checksum is wrong, and people write them in capitals. */
function lower(wallet: Address): Hex {
  return wallet.toLowerCase() as Hex
}

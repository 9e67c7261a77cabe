import type { Hex } from 'viem'
import { z } from 'zod'
import { weiSchema } from '../../service/signed-key/schemas.js'
import { Refusal } from '../http/refusal.js'
import { ChangeFeed } from './change-feed.js'

/** Both wei. A stake is enough from the minimum on; the minimum is one for all wallets. */
export interface WalletStake {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
}

const rolesSchema = z.strictObject({ submitter: z.boolean(), attester: z.boolean() })
export type Roles = z.infer<typeof rolesSchema>

const walletSchema = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)])

/** The registry as it is kept; amounts are wei as decimal strings, wallets lower case. */
export const keptStakeSchema = z.strictObject({
  staked: z.record(walletSchema, weiSchema),
  /** Null: never changed. */
  minStakeWei: weiSchema.nullable(),
  roles: z.record(walletSchema, rolesSchema),
})
export type KeptStake = z.infer<typeof keptStakeSchema>
/** Nothing was changed yet. */
export const NO_STAKE_KEPT: KeptStake = { staked: {}, minStakeWei: null, roles: {} }

/** `now` is service time, Unix milliseconds; `stake` is that of every wallet at first; `changed` follows each change. */
export interface StakeRegistryOptions {
  readonly chainId: number
  readonly now: () => number
  readonly stake: WalletStake
  readonly roles: ReadonlyMap<Hex, Roles>
  readonly changed: () => void
}

const NO_ROLES: Roles = { submitter: false, attester: false }

/**
 * Stake and roles of each wallet: what the signed-key API's gate reads, and the stake contract of a chain in memory.
 * The chain has a block each second, whose number and time are service time, and always the state of now.
 */
export class StakeRegistry {
  readonly stakeChanged = new ChangeFeed()
  readonly #options: StakeRegistryOptions
  readonly #staked = new Map<Hex, bigint>()
  readonly #roles = new Map<Hex, Roles>()
  #minStakeWei: bigint | null = null
  #answers = true

  constructor(options: StakeRegistryOptions, { minStakeWei, roles, staked }: KeptStake = NO_STAKE_KEPT) {
    this.#options = options
    for (const [wallet, wei] of Object.entries(staked)) this.#staked.set(lower(wallet), BigInt(wei))
    for (const [wallet, held] of Object.entries(roles)) this.#roles.set(lower(wallet), held)
    if (minStakeWei !== null) this.#minStakeWei = BigInt(minStakeWei)
  }

  get chainId(): number {
    return this.#options.chainId
  }

  stakeOf(wallet: string): WalletStake {
    const { stake } = this.#options
    return {
      stakedWei: this.#staked.get(lower(wallet)) ?? stake.stakedWei,
      minStakeWei: this.#minStakeWei ?? stake.minStakeWei,
    }
  }

  isEnough(wallet: string): boolean {
    const { stakedWei, minStakeWei } = this.stakeOf(wallet)
    return stakedWei >= minStakeWei
  }

  rolesOf(wallet: string): Roles {
    return this.#roles.get(lower(wallet)) ?? this.#options.roles.get(lower(wallet)) ?? NO_ROLES
  }

  setStake(wallet: string, stakedWei: bigint): void {
    if (this.#staked.get(lower(wallet)) === stakedWei) return
    this.#staked.set(lower(wallet), stakedWei)
    this.#stakeChanged()
  }

  setMinimum(minStakeWei: bigint): void {
    if (this.#minStakeWei === minStakeWei) return
    this.#minStakeWei = minStakeWei
    this.#stakeChanged()
  }

  setRoles(wallet: string, { submitter, attester }: Roles): void {
    this.#roles.set(lower(wallet), { submitter, attester })
    this.#options.changed()
  }

  /** The latest block. Refuses with 503 while the chain is stopped. */
  head(): { readonly number: bigint; readonly timestamp: number } {
    if (!this.#answers) throw new Refusal('chain-unavailable', 'The chain of the stake contract does not answer.')
    const timestamp = Math.floor(this.#options.now() / 1000)
    return { number: BigInt(timestamp), timestamp }
  }

  /** The chain stops answering, as if its RPC endpoint were down; the signed-key API does not ask it. */
  stop(): void {
    this.#answers = false
  }

  /** The chain answers again. */
  start(): void {
    this.#answers = true
  }

  /** Stake and roles as at first. */
  reset(): void {
    this.#staked.clear()
    this.#roles.clear()
    this.#minStakeWei = null
    this.#stakeChanged()
  }

  kept(): KeptStake {
    return {
      staked: Object.fromEntries([...this.#staked].map(([wallet, wei]) => [wallet, wei.toString()])),
      minStakeWei: this.#minStakeWei?.toString() ?? null,
      roles: Object.fromEntries(this.#roles),
    }
  }

  #stakeChanged(): void {
    this.#options.changed()
    this.stakeChanged.emit()
  }
}

const lower = (wallet: string): Hex => wallet.toLowerCase() as Hex

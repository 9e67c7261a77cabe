import type { Address } from 'viem'
import type { WalletStake } from '../books/stake-book.js'

/** Roles of a wallet in the stake contract. */
export interface Roles {
  readonly submitter: boolean
  readonly attester: boolean
}

/** The chain behind a registry, as tests break and restore it. */
export interface RegistryChain {
  /** Of anvil while it runs; null in memory. */
  readonly pid: number | null
  /** The chain answers no more, as if its RPC endpoint were down. */
  stop(): Promise<void>
  /** The chain answers again, at the same URL, with the same contract address and what the books hold. */
  start(): Promise<void>
  /** Makes the contract hold what the books do, after they were reset. */
  mirror(): Promise<void>
}

/** The stake contract and its chain as the service sees them: a real one on anvil, or one in memory that is marked as such. */
export interface StakeRegistry {
  readonly kind: 'anvil' | 'memory'
  readonly chainId: number
  /** Null in memory. */
  readonly contract: Address | null
  /** Null in memory. */
  readonly rpcUrl: string | null
  /** The latest block; in memory, service time in its own block each second. @throws where the chain does not answer */
  head(): Promise<{ readonly number: bigint; readonly timestamp: number }>
  /** Read from the contract each time. @throws where the chain does not answer */
  rolesOf(wallet: Address): Promise<Roles>
  stakeOf(wallet: Address): Promise<WalletStake>
  /** Resolve when the change is in a block. */
  setRoles(wallet: Address, roles: Roles): Promise<void>
  setStake(wallet: Address, stakedWei: bigint): Promise<void>
  setMinimum(minStakeWei: bigint): Promise<void>
  close(): Promise<void>
  /** Absent where the sandbox was handed a registry that has none to break. */
  readonly chain?: RegistryChain
}

import type { Hex } from 'viem'
import { ChangeFeed } from './change-feed.js'

/** Both wei. A stake is enough from the minimum on; the minimum is one for all wallets. */
export interface WalletStake {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
}

/** A change of the book; `wallet` is lower case. */
export type StakeEntry = { readonly wallet: Hex; readonly stakedWei: bigint } | { readonly minStakeWei: bigint }

/** Stake of each wallet; a wallet that was never set has the initial stake. */
export class StakeBook {
  readonly changed = new ChangeFeed()
  readonly #initial: WalletStake
  readonly #keep: (entry: StakeEntry) => void
  readonly #staked = new Map<Hex, bigint>()
  #minStakeWei: bigint

  /** @param keep called with each change, before it counts: it can refuse by throwing */
  constructor(initial: WalletStake, keep: (entry: StakeEntry) => void = () => {}) {
    this.#initial = initial
    this.#keep = keep
    this.#minStakeWei = initial.minStakeWei
  }

  get minStakeWei(): bigint {
    return this.#minStakeWei
  }

  of(wallet: string): WalletStake {
    return {
      stakedWei: this.#staked.get(lower(wallet)) ?? this.#initial.stakedWei,
      minStakeWei: this.#minStakeWei,
    }
  }

  isEnough(wallet: string): boolean {
    const { stakedWei, minStakeWei } = this.of(wallet)
    return stakedWei >= minStakeWei
  }

  set(wallet: string, stakedWei: bigint): void {
    if (this.#staked.get(lower(wallet)) === stakedWei) return
    this.#keep({ wallet: lower(wallet), stakedWei })
    this.#staked.set(lower(wallet), stakedWei)
    this.changed.emit()
  }

  setMinimum(minStakeWei: bigint): void {
    if (this.#minStakeWei === minStakeWei) return
    this.#keep({ minStakeWei })
    this.#minStakeWei = minStakeWei
    this.changed.emit()
  }

  /** What was kept of an earlier run. */
  restore(entry: StakeEntry): void {
    if ('wallet' in entry) this.#staked.set(entry.wallet, entry.stakedWei)
    else this.#minStakeWei = entry.minStakeWei
  }

  /** Every wallet whose stake was set. */
  wallets(): Hex[] {
    return [...this.#staked.keys()]
  }

  reset(): void {
    this.#staked.clear()
    this.#minStakeWei = this.#initial.minStakeWei
    this.changed.emit()
  }
}

function lower(wallet: string): Hex {
  return wallet.toLowerCase() as Hex
}

import { ChangeFeed } from './change-feed.js'

export interface WalletStake {
  readonly stakedWei: bigint
  readonly minStakeWei: bigint
}

/** Stake of each wallet; a wallet that was never set has the initial stake. */
export class StakeBook {
  readonly changed = new ChangeFeed()
  readonly #initial: WalletStake
  readonly #staked = new Map<string, bigint>()
  #minStakeWei: bigint

  constructor(initial: WalletStake) {
    this.#initial = initial
    this.#minStakeWei = initial.minStakeWei
  }

  of(wallet: string): WalletStake {
    return {
      stakedWei: this.#staked.get(wallet.toLowerCase()) ?? this.#initial.stakedWei,
      minStakeWei: this.#minStakeWei,
    }
  }

  isEnough(wallet: string): boolean {
    const { stakedWei, minStakeWei } = this.of(wallet)
    return stakedWei >= minStakeWei
  }

  set(wallet: string, stakedWei: bigint): void {
    this.#staked.set(wallet.toLowerCase(), stakedWei)
    this.changed.emit()
  }

  setMinimum(minStakeWei: bigint): void {
    this.#minStakeWei = minStakeWei
    this.changed.emit()
  }

  reset(): void {
    this.#staked.clear()
    this.#minStakeWei = this.#initial.minStakeWei
    this.changed.emit()
  }
}

import type { Hex } from 'viem'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ApiKey, NewKey } from '../books/key-ring.js'
import type { ScoreAttempt, ScoreRecord } from '../books/score-book.js'
import type { FaultPlan, FaultPlanInput, InjectedFault } from '../faults/faults.js'
import type { RegistryChain } from '../registry/stake-registry.js'
import type { World } from '../world.js'

/** What `setStake` changes, wei. An amount that is absent stays; `minStakeWei` is the minimum of every wallet. */
export interface StakeChange {
  /** The development account's attester wallet where absent. */
  readonly wallet?: string | undefined
  readonly stakedWei?: bigint | undefined
  readonly minStakeWei?: bigint | undefined
}

/** Roles that a wallet gains (true) or loses (false), in the books and in the stake contract; absent ones stay. */
export interface RoleChange {
  readonly wallet: string
  readonly attester?: boolean | undefined
  readonly submitter?: boolean | undefined
}

/** A key to create: `wallet` is an address, null for none, absent for a new one. */
export interface NewKeyInput extends Omit<NewKey, 'label' | 'wallet'> {
  readonly label?: string | undefined
  readonly wallet?: string | null | undefined
}

/** Every switch of the sandbox, for code and for the admin routes alike. */
export class SandboxControl {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  get faults(): FaultPlan {
    return this.#world.faults.plan
  }

  /** Takes effect with the next request; attempts are counted on. */
  setFaults(plan: FaultPlanInput): void {
    this.#world.faults.setPlan(plan)
  }

  injectedFaults(): readonly InjectedFault[] {
    return this.#world.faults.injected()
  }

  /** How often each route and key was asked for. */
  requestCounts() {
    return this.#world.faults.counts()
  }

  get clockOffsetMs(): number {
    return this.#world.time.offsetMs
  }

  /** Service time runs ahead of local time by `offsetMs` from now on. */
  setClockOffset(offsetMs: number): void {
    this.#world.time.setOffset(offsetMs)
    this.#world.assets.sweep()
  }

  /**
   * Counts at once for the signed-key API. Resolves when the stake contract holds it too; rejects where its chain does
   * not answer.
   */
  setStake({ wallet, stakedWei, minStakeWei }: StakeChange): Promise<void> {
    const { account, registry, stakes } = this.#world
    const owner = (wallet ?? account.attesterWallet) as Hex
    if (stakedWei !== undefined) stakes.set(owner, stakedWei)
    if (minStakeWei !== undefined) stakes.setMinimum(minStakeWei)
    return watched(async () => {
      if (stakedWei !== undefined) await registry.setStake(owner, stakedWei)
      if (minStakeWei !== undefined) await registry.setMinimum(minStakeWei)
    })
  }

  /** Roles that are not named stay. Resolves and rejects as `setStake` does. */
  setRoles(change: RoleChange): Promise<void> {
    const { registry, roles, stakes } = this.#world
    const { wallet } = change
    const { attester, submitter } = roles.of(wallet)
    const changed = { attester: change.attester ?? attester, submitter: change.submitter ?? submitter }
    roles.set(wallet, changed)
    return watched(async () => {
      await registry.setRoles(wallet as Hex, changed)
      // The books give every wallet a stake; the contract only knows those that were written to it.
      await registry.setStake(wallet as Hex, stakes.of(wallet).stakedWei)
    })
  }

  /** The chain behind the registry, to break and to restore. Absent where the registry has none. */
  get chain(): RegistryChain | undefined {
    return this.#world.registry.chain
  }

  assets(): SandboxAsset[] {
    return this.#world.assets.all()
  }

  /** @returns false where there is no such asset */
  openAsset(id: string): boolean {
    return this.#world.assets.switch(id, 'open')
  }

  /** @returns false where there is no such asset */
  closeAsset(id: string): boolean {
    return this.#world.assets.switch(id, 'closed')
  }

  /** Scores on record. */
  scores(): ScoreRecord[] {
    return this.#world.scores.all()
  }

  /** Every POST of a score that passed the gates, in order, with what became of it. */
  scoreAttempts(): readonly ScoreAttempt[] {
    return this.#world.scores.attempts()
  }

  keys(): ApiKey[] {
    return this.#world.keys.all()
  }

  createKey({ label = 'made by the sandbox', wallet = this.#world.walletKeys.create(), ...key }: NewKeyInput): ApiKey {
    return this.#world.keys.create({ ...key, label, wallet })
  }

  /** @returns false where there is no such key */
  revokeKey(id: string): boolean {
    return this.#world.keys.revoke(id) !== null
  }

  get openStreams(): number {
    return this.#world.streams.size
  }

  /** Destroys the connection of every open stream. @returns how many */
  cutStreams(): number {
    return this.#world.streams.cutAll()
  }

  /**
   * Back to the start: no assets, scores, faults, counts, skew; stake, roles and rate limits as at first. Keys and media
   * stay. Resolves and rejects as `setStake` does.
   */
  reset(): Promise<void> {
    const { assets, scores, faults, stakes, roles, time, limiter, registry, storage } = this.#world
    storage.append({ type: 'reset' })
    scores.clear()
    faults.setPlan({})
    faults.reset()
    time.setOffset(0)
    stakes.reset()
    roles.reset()
    limiter.reset()
    assets.clear()
    return watched(async () => registry.chain?.mirror())
  }
}

/** Work whose failure is reported to whoever waits for it, and to nobody else. */
function watched(work: () => Promise<void>): Promise<void> {
  const done = work()
  done.catch(() => {})
  return done
}

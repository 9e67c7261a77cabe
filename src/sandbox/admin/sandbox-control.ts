import type { SandboxAsset } from '../books/asset-book.js'
import type { ApiKey, NewKey } from '../books/key-ring.js'
import type { ScoreAttempt, ScoreRecord } from '../books/score-book.js'
import type { StakeRegistry } from '../books/stake-registry.js'
import type { FaultPlanInput, InjectedFault } from '../faults/faults.js'
import type { World } from '../world.js'

/** What `setStake` changes, wei. An amount that is absent stays; `minStakeWei` is the minimum of every wallet. */
export interface StakeChange {
  /** The development account's attester wallet where absent. */
  readonly wallet?: string | undefined
  readonly stakedWei?: bigint | undefined
  readonly minStakeWei?: bigint | undefined
}

/** Roles that a wallet gains (true) or loses (false) in the stake contract; absent ones stay. */
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

  /** Service time runs ahead of local time by `offsetMs` from now on. */
  setClockOffset(offsetMs: number): void {
    this.#world.time.setOffset(offsetMs)
    this.#world.assets.sweep()
  }

  setStake({ wallet, stakedWei, minStakeWei }: StakeChange): void {
    const { account, registry } = this.#world
    if (stakedWei !== undefined) registry.setStake(wallet ?? account.attesterWallet, stakedWei)
    if (minStakeWei !== undefined) registry.setMinimum(minStakeWei)
  }

  setRoles({ wallet, attester, submitter }: RoleChange): void {
    const { registry } = this.#world
    const held = registry.rolesOf(wallet)
    registry.setRoles(wallet, { attester: attester ?? held.attester, submitter: submitter ?? held.submitter })
  }

  /** The chain of the stake contract, to stop and to start. */
  get chain(): Pick<StakeRegistry, 'start' | 'stop'> {
    return this.#world.registry
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

  /** Back to the start: no assets, scores, faults, counts, skew; stake, roles and rate limits as at first. Keys and media stay. */
  reset(): void {
    const { assets, scores, faults, time, limiter, registry } = this.#world
    scores.clear()
    faults.setPlan({})
    faults.reset()
    time.setOffset(0)
    registry.reset()
    limiter.reset()
    assets.clear()
  }
}

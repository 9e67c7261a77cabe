import { z } from 'zod'
import { keyKindSchema, weiSchema } from '../../service/signed-key/schemas.js'
import { addressSchema } from '../../service/wire-fields.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ApiKey } from '../books/key-ring.js'
import type { ScoreAttempt } from '../books/score-book.js'
import type { StakeRegistry } from '../books/stake-registry.js'
import type { FaultPlanInput, InjectedFault } from '../faults/faults.js'
import type { World } from '../world.js'

/** What `setStake` changes, wei. An amount that is absent stays; `minStakeWei` is the minimum of every wallet. */
export const stakeChangeSchema = z.strictObject({
  wallet: addressSchema.optional().meta({ description: 'Default: the attester wallet of the development account.' }),
  stakedWei: weiSchema.transform(BigInt).optional(),
  minStakeWei: weiSchema.transform(BigInt).optional(),
})
const roleSchema = z.boolean().optional().meta({ description: 'Absent: as it is.' })
/** Roles that a wallet gains (true) or loses (false) in the stake contract; absent ones stay. */
export const roleChangeSchema = z.strictObject({ wallet: addressSchema, attester: roleSchema, submitter: roleSchema })
/** A key to create. */
export const newKeySchema = z.strictObject({
  kind: keyKindSchema,
  label: z.string().max(200).optional(),
  wallet: addressSchema.nullish().meta({ description: 'Absent: a new wallet. null: none is linked.' }),
})

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
    this.#world.time.offsetMs = offsetMs
    this.#world.assets.sweep()
  }

  setStake({ wallet, stakedWei, minStakeWei }: z.output<typeof stakeChangeSchema>): void {
    const { account, registry } = this.#world
    if (stakedWei !== undefined) registry.setStake(wallet ?? account.attester, stakedWei)
    if (minStakeWei !== undefined) registry.setMinimum(minStakeWei)
  }

  setRoles({ wallet, attester, submitter }: z.output<typeof roleChangeSchema>): void {
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

  /** Every POST of a score that passed the gates, in order, with what became of it. */
  scoreAttempts(): readonly ScoreAttempt[] {
    return this.#world.scores.attempts()
  }

  keys(): ApiKey[] {
    return this.#world.keys.all()
  }

  createKey({ kind, label = 'made by the sandbox', wallet }: z.output<typeof newKeySchema>): ApiKey {
    const { keys, walletKeys } = this.#world
    return keys.create({ kind, label, wallet: wallet === undefined ? walletKeys.create() : wallet })
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
    const { streams } = this.#world
    for (const response of streams) response.destroy()
    return streams.size
  }

  /** Back to the start: no assets, scores, faults, counts, skew; stake, roles and rate limits as at first. Keys and media stay. */
  reset(): void {
    const { assets, scores, faults, time, limiter, registry } = this.#world
    scores.clear()
    faults.setPlan({})
    faults.reset()
    time.offsetMs = 0
    registry.reset()
    limiter.reset()
    assets.clear()
  }
}

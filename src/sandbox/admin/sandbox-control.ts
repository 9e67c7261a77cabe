import { z } from 'zod'
import { keyKindSchema, weiSchema } from '../../service/signed-key/schemas.js'
import { addressSchema } from '../../service/wire-fields.js'
import type { ApiKey } from '../books/key-ring.js'
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
export const newKeySchema = z.strictObject({
  kind: keyKindSchema,
  label: z.string().max(200).optional(),
  wallet: addressSchema.nullish().meta({ description: 'Absent: a new wallet. null: none is linked.' }),
})

/** Switches of the sandbox that are more than one call of a part of its world, for code and for the admin routes alike. */
export class SandboxControl {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
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

  createKey({ kind, label = 'made by the sandbox', wallet }: z.output<typeof newKeySchema>): ApiKey {
    const { keys, walletKeys } = this.#world
    return keys.create({ kind, label, wallet: wallet === undefined ? walletKeys.create() : wallet })
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

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { MEDIA_TYPES } from '../../core/media-types.js'
import { turnaroundSchema } from '../../service/wire-fields.js'
import { ChangeFeed } from './change-feed.js'

/** An asset on the books of both APIs, as it is kept; `AssetBook.isOpen` states whether it is open. */
export const sandboxAssetSchema = z.object({
  id: z.string().min(1),
  title: z.string(),
  mediaContext: z.string(),
  contentType: z.string(),
  contentHash: z.string(),
  uri: z.string(),
  contributorAttestationUid: z.string(),
  /** ISO-8601, as the submitter wrote it. */
  verificationDeadline: z.string(),
  /** Null where the submitter named none. */
  mediaType: z.enum(MEDIA_TYPES).nullable(),
  turnaround: turnaroundSchema,
  ownerAddress: z.string(),
  /** Unix milliseconds of service time. */
  createdAt: z.number(),
  deadlineAt: z.number(),
  /** Closed by the switch, whatever the deadline states. */
  switchedOff: z.boolean(),
})
export type SandboxAsset = z.infer<typeof sandboxAssetSchema>
/** What a submitter states of an asset. */
export type NewAsset = Omit<SandboxAsset, 'id' | 'createdAt' | 'deadlineAt' | 'switchedOff'>

/** The registered assets and which of them are open: before their deadline and not switched off. */
export class AssetBook {
  readonly changed = new ChangeFeed()
  readonly #now: () => number
  readonly #run: string
  readonly #touched: () => void
  readonly #assets = new Map<string, SandboxAsset>()
  /** The open set as last announced to the listeners. */
  readonly #announced = new Set<string>()

  /** @param options run: goes into every asset id; touched: follows each change; kept: the assets of an earlier run */
  constructor(options: { now: () => number; run?: string; touched?: () => void; kept?: readonly SandboxAsset[] }) {
    this.#now = options.now
    this.#run = options.run ?? ''
    this.#touched = options.touched ?? (() => {})
    for (const asset of options.kept ?? []) this.#add(asset)
  }

  register(input: NewAsset): SandboxAsset {
    const asset: SandboxAsset = {
      ...input,
      id: this.#newId(input.contentHash),
      createdAt: this.#now(),
      deadlineAt: Date.parse(input.verificationDeadline),
      switchedOff: false,
    }
    this.#touched()
    if (this.#add(asset)) this.changed.emit()
    return asset
  }

  find(id: string): SandboxAsset | null {
    return this.#assets.get(id) ?? null
  }

  findOpen(id: string): SandboxAsset | null {
    const asset = this.find(id)
    return asset !== null && this.isOpen(asset) ? asset : null
  }

  isOpen(asset: SandboxAsset): boolean {
    return isOpenAt(this.#now(), asset)
  }

  all(): SandboxAsset[] {
    return [...this.#assets.values()]
  }

  /** Open assets in the order of registration. */
  open(): SandboxAsset[] {
    const now = this.#now()
    return this.all().filter((asset) => isOpenAt(now, asset))
  }

  /** @returns false where there is no such asset */
  switch(id: string, to: 'open' | 'closed'): boolean {
    const asset = this.find(id)
    if (asset === null) return false
    asset.switchedOff = to === 'closed'
    this.#touched()
    this.sweep()
    return true
  }

  /** Checks whether the open set is still what was last announced, and notifies the listeners where it is not. */
  sweep(): void {
    const now = this.#now()
    let isChanged = false
    for (const asset of this.#assets.values()) isChanged = this.#note(asset, now) || isChanged
    if (isChanged) this.changed.emit()
  }

  clear(): void {
    this.#assets.clear()
    this.#announced.clear()
    this.#touched()
    this.changed.emit()
  }

  /** @returns whether it is open */
  #add(asset: SandboxAsset): boolean {
    this.#assets.set(asset.id, asset)
    return this.#note(asset, this.#now())
  }

  /** @returns whether the asset opened or closed since the listeners last heard */
  #note(asset: SandboxAsset, now: number): boolean {
    const open = isOpenAt(now, asset)
    if (open === this.#announced.has(asset.id)) return false
    if (open) this.#announced.add(asset.id)
    else this.#announced.delete(asset.id)
    return true
  }

  /** The same content registered for the nth time has the same id in every run of that name, so that seeded faults repeat. */
  #newId(contentHash: string): string {
    for (let nth = 1; ; nth++) {
      const digest = createHash('sha256').update(`${this.#run}${contentHash.toLowerCase()}\n${nth}`).digest('hex')
      const id = `ast_${digest.slice(0, 20)}`
      if (!this.#assets.has(id)) return id
    }
  }
}

const isOpenAt = (now: number, { deadlineAt, switchedOff }: SandboxAsset): boolean => !switchedOff && deadlineAt > now

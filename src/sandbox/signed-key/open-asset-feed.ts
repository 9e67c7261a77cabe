import { assetView, stakeView } from '../asset-view.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { EventWriter } from '../stream/event-writer.js'
import type { World } from '../world.js'
import type { Caller } from './authenticate.js'

/** What the feed may leave out, for a fault. */
export interface FeedQuirks {
  /** No deltas, and no snapshot after the first. */
  readonly missEvents: boolean
}

/**
 * The events of one stream: `ready`, a snapshot, then a delta at once and a snapshot shortly after each change. It keeps
 * no backlog: while the reader is slow nothing is written, and afterwards it gets the state as it then is.
 */
export class OpenAssetFeed {
  readonly #world: World
  readonly #caller: Caller
  readonly #writer: EventWriter
  readonly #quirks: FeedQuirks
  #announced = new Set<string>()
  #deltaDue = false
  #snapshotDue = false
  #readyDue = false
  #stake: string

  constructor(world: World, caller: Caller, writer: EventWriter, quirks: FeedQuirks) {
    this.#world = world
    this.#caller = caller
    this.#writer = writer
    this.#quirks = quirks
    this.#stake = JSON.stringify(stakeView(world, caller.wallet))
  }

  sendReady(): void {
    this.#writer.event('ready', { stake: stakeView(this.#world, this.#caller.wallet) })
  }

  sendSnapshot(): void {
    const assets = this.#world.assets.open()
    this.#announced = new Set(assets.map((asset) => asset.id))
    this.#writer.event('open-assets', this.#payload(assets))
  }

  /** The open set changed: the delta goes now, the snapshot when `snapshotIsDue` is called. */
  assetsChanged(): void {
    this.#deltaDue = !this.#quirks.missEvents
    this.flush()
  }

  snapshotIsDue(): void {
    this.#snapshotDue = !this.#quirks.missEvents
    this.flush()
  }

  /** A stake other than before is announced by a new `ready`, also one that is too low and ends the stream. */
  stakeChanged(): void {
    const stake = JSON.stringify(stakeView(this.#world, this.#caller.wallet))
    this.#readyDue ||= stake !== this.#stake
    this.#stake = stake
    this.flush()
  }

  heartbeat(): void {
    this.#writer.event('ping', { t: this.#world.time.now() })
  }

  /** Writes what is due, as far as the reader takes it. */
  flush(): void {
    if (this.#readyDue && !this.#writer.blocked) {
      this.#readyDue = false
      this.sendReady()
    }
    if (this.#deltaDue && !this.#writer.blocked) {
      this.#deltaDue = false
      this.#sendDelta()
    }
    if (this.#snapshotDue && !this.#writer.blocked) {
      this.#snapshotDue = false
      this.sendSnapshot()
    }
  }

  #sendDelta(): void {
    const opened = this.#world.assets.open().filter((asset) => !this.#announced.has(asset.id))
    if (opened.length === 0) return
    for (const asset of opened) this.#announced.add(asset.id)
    this.#writer.event('new-open-assets', this.#payload(opened))
  }

  #payload(assets: readonly SandboxAsset[]) {
    return {
      ids: assets.map((asset) => asset.id),
      assets: assets.map((asset) => assetView(this.#world, asset)),
    }
  }
}

import type { FastifyReply } from 'fastify'
import { assetView, stakeView } from '../asset-view.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { InjectedFault } from '../faults/faults.js'
import { StreamConnection } from '../stream/stream-connection.js'
import { playStreamFault } from '../stream/stream-faults.js'
import type { World } from '../world.js'
import type { Caller } from './authenticate.js'

/** Open assets for which a snapshot is one more `snapshotDelayMs` apart: one of 10,000 has 5 MB. */
const ASSETS_A_PAUSE = 500
const EVENTS = { snapshot: 'open-assets', opened: 'new-open-assets' } as const

/** Opens the event stream on a request that passed all gates, and keeps it until either side ends it. */
export function openStream(world: World, caller: Caller, reply: FastifyReply, fault: InjectedFault | null): void {
  const connection = new StreamConnection(world, reply, () => feed.catchUp())
  const feed = new OpenAssetFeed(world, caller, connection)
  feed.sendReady()
  if (playStreamFault(connection, fault, EVENTS) === 'silent') return
  // The first snapshot and the listening are of one turn, so no change falls between.
  feed.sendSnapshot()
  feed.follow(fault?.kind === 'missed-events')
}

/**
 * The events of one stream: `ready`, a snapshot, then a delta at once and a snapshot shortly after each change. It keeps
 * no backlog: while the reader is slow nothing is written, and afterwards it gets the state as it then is.
 */
class OpenAssetFeed {
  readonly #world: World
  readonly #caller: Caller
  readonly #connection: StreamConnection
  #announced = new Set<string>()
  #stake = ''
  #snapshotPending = false
  #missed = false

  constructor(world: World, caller: Caller, connection: StreamConnection) {
    this.#world = world
    this.#caller = caller
    this.#connection = connection
  }

  sendReady(): void {
    const stake = stakeView(this.#world, this.#caller.wallet)
    this.#stake = JSON.stringify(stake)
    this.#connection.event('ready', { stake })
  }

  sendSnapshot(): void {
    const assets = this.#world.assets.open()
    this.#announced = new Set(assets.map((asset) => asset.id))
    this.#connection.event(EVENTS.snapshot, this.#payload(assets))
  }

  /** Ties the feed to the world until the connection is gone. @param missEvents a fault: no asset is reported any more */
  follow(missEvents: boolean): void {
    const { assets, keys, registry, time } = this.#world
    const { signal } = this.#connection
    if (!missEvents) assets.changed.listen(() => this.#assetsChanged(), signal)
    registry.stakeChanged.listen(() => this.#stakeChanged(), signal)
    keys.changed.listen(() => this.#endWhereRefused(), signal)
    void this.#connection.beat(() => this.#connection.event('ping', { t: time.now() }))
  }

  /** Writes the state as it is now, where something was left out while the reader was slow. */
  catchUp(): void {
    if (!this.#missed) return
    this.#missed = false
    if (this.#stakeDiffers()) this.sendReady()
    this.#assetsChanged()
  }

  #assetsChanged(): void {
    this.#unlessSlow(() => this.#sendDelta())
    void this.#snapshotLater()
  }

  async #snapshotLater(): Promise<void> {
    if (this.#snapshotPending) return
    this.#snapshotPending = true
    const pauses = 1 + Math.floor(this.#announced.size / ASSETS_A_PAUSE)
    const alive = await this.#connection.after(pauses * this.#world.options.snapshotDelayMs)
    this.#snapshotPending = false
    if (alive) this.#unlessSlow(() => this.sendSnapshot())
  }

  /** A stake other than before is announced by a new `ready`, also one that is too low and ends the stream. */
  #stakeChanged(): void {
    if (this.#stakeDiffers()) this.#unlessSlow(() => this.sendReady())
    this.#endWhereRefused()
  }

  /** Ends the stream with an `error` event where the key may no longer read it. */
  #endWhereRefused(): void {
    const { key, wallet } = this.#caller
    const isPoor = !this.#world.registry.isEnough(wallet)
    if (key.revokedAt === null && !isPoor) return
    const revoked = 'key-revoked: this key was revoked'
    const message = key.revokedAt === null ? 'stake-below-minimum: the stake fell below the minimum' : revoked
    this.#connection.event('error', { message })
    this.#connection.end()
  }

  #stakeDiffers(): boolean {
    return JSON.stringify(stakeView(this.#world, this.#caller.wallet)) !== this.#stake
  }

  #unlessSlow(write: () => void): void {
    if (this.#connection.blocked) this.#missed = true
    else write()
  }

  #sendDelta(): void {
    const opened = this.#world.assets.open().filter((asset) => !this.#announced.has(asset.id))
    if (opened.length === 0) return
    for (const asset of opened) this.#announced.add(asset.id)
    this.#connection.event(EVENTS.opened, this.#payload(opened))
  }

  #payload(assets: readonly SandboxAsset[]) {
    return { ids: assets.map((asset) => asset.id), assets: assets.map((asset) => assetView(this.#world, asset)) }
  }
}

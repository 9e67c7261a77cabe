import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.js'
import { SharedReading } from '../../core/shared-reading.js'
import type { DaemonCard } from '../../fleet/daemon-card.js'
import type { FleetDaemon, FleetState } from '../../fleet/fleet-state.js'
import { knownDaemons, mixedOf } from '../../fleet/known-daemons.js'
import type { RecentRow } from '../../fleet/recent-rows.js'
import { keepRow, keptRecords, keptRows } from '../../fleet/recent-rows.js'
import type { QueueEngine } from '../../queue/queues.js'
import { readBacklog } from './backlog.js'

/** The queue that the fleet shares, and this daemon's word about itself. */
export interface FleetOptions {
  readonly queue: Pick<QueueEngine, 'counts' | 'fleet' | 'waiting' | 'retrying' | 'isPaused'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly name: () => string
  readonly card: () => DaemonCard
}

/** What was read is shared for this long, ms: a page, a probe and a scrape at the same moment read once. */
const SHARED_MS = 500

/** All daemons on one queue as this one knows them. Every reading rejects while the queue is away. */
export class Fleet {
  readonly #id = randomUUID()
  readonly #options: FleetOptions
  /** Those of the last hour, by name. */
  readonly daemons: () => Promise<FleetDaemon[]>
  readonly state: () => Promise<FleetState>

  constructor(options: FleetOptions) {
    const { card, clock, queue } = options
    this.#options = options
    const daemons = new SharedReading<FleetDaemon[]>({ clock, keptMs: SHARED_MS })
    const state = new SharedReading<FleetState>({ clock, keptMs: SHARED_MS })
    const readDaemons = async () => knownDaemons(await queue.fleet.announced(), { id: this.#id, card: card() })
    const readState = async () => {
      const daemons = await this.daemons()
      return { daemons, mixed: mixedOf(daemons), backlog: await readBacklog(queue, daemons, clock.now()) }
    }
    this.daemons = () => daemons.share(readDaemons)
    this.state = () => state.share(readState)
  }

  /** Machine and port. */
  get name(): string {
    return this.#options.name()
  }

  /** Reports that this daemon lives. */
  async announce(): Promise<void> {
    const { card, queue } = this.#options
    await queue.fleet.announce(this.#id, JSON.stringify(card()))
  }

  /** Reports that it ends in order. */
  async leave(): Promise<void> {
    await this.#options.queue.fleet.leave(this.#id)
  }

  /** Leaves a row for every daemon; one that cannot be left is lost to the consoles, never to the ledger. */
  keep(row: RecentRow): void {
    keepRow(this.#options.queue.fleet, { ...row, daemon: this.#options.name() }).catch(() => {})
  }

  /** What became of the last assets of the whole fleet, newest first. */
  rows(limit: number): Promise<RecentRow[]> {
    return keptRows(this.#options.queue.fleet, limit)
  }

  /** The same with the verdicts of assets that have ended since: one for each analysis. */
  records(): Promise<RecentRow[]> {
    return keptRecords(this.#options.queue.fleet)
  }
}

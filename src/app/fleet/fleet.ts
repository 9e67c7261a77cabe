import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.js'
import { SharedReading } from '../../core/shared-reading.js'
import type { DaemonCard } from '../../fleet/daemon-card.js'
import type { FleetDaemon, FleetState } from '../../fleet/fleet-state.js'
import { knownDaemons, mixedOf } from '../../fleet/known-daemons.js'
import { keepRows, keptRecords, keptRows, type RecentRow } from '../../fleet/recent-rows.js'
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
  /** Rows that the other daemons have not been left yet. */
  #rows: RecentRow[] = []
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

  /** Reports that this daemon lives, and what it kept since. */
  async announce(): Promise<void> {
    const { card, queue } = this.#options
    await Promise.all([queue.fleet.announce(this.#id, JSON.stringify(card())), this.#leaveRows()])
  }

  async leave(): Promise<void> {
    await Promise.all([this.#options.queue.fleet.leave(this.#id), this.#leaveRows()])
  }

  /** A row for every daemon, which gets it with the next announcement; one that is lost then is not lost to the ledger. */
  keep(row: RecentRow): void {
    this.#rows.push({ ...row, daemon: this.#options.name() })
  }

  /** What became of the last assets of the whole fleet, newest first. */
  async rows(limit: number): Promise<RecentRow[]> {
    await this.#leaveRows()
    return keptRows(this.#options.queue.fleet, limit)
  }

  /** The same with the verdicts of assets that have ended since: one for each analysis. */
  async records(): Promise<RecentRow[]> {
    await this.#leaveRows()
    return keptRecords(this.#options.queue.fleet)
  }

  async #leaveRows(): Promise<void> {
    const rows = this.#rows.splice(0)
    if (rows.length > 0) await keepRows(this.#options.queue.fleet, rows).catch(() => {})
  }
}

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../core/clock.js'
import type { RecentRow } from '../../observe/console/console-state.js'
import type { FleetDaemon, FleetState } from '../../observe/console/fleet-state.js'
import type { QueueEngine } from '../../queue/queues.js'
import { readBacklog } from './backlog.js'
import type { DaemonCard } from './daemon-card.js'
import { knownDaemons, mixedOf } from './known-daemons.js'
import { keepRow, keptRecords, keptRows } from './recent-rows.js'

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
  #daemons: Shared<FleetDaemon[]> | null = null
  #state: Shared<FleetState> | null = null

  constructor(options: FleetOptions) {
    this.#options = options
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

  /** Those of the last hour, by name. */
  daemons(): Promise<FleetDaemon[]> {
    const { card, queue } = this.#options
    this.#daemons = this.#shared(this.#daemons, async () =>
      knownDaemons(await queue.fleet.announced(), { id: this.#id, card: card() }),
    )
    return this.#daemons.reading
  }

  state(): Promise<FleetState> {
    const { clock, queue } = this.#options
    this.#state = this.#shared(this.#state, async () => {
      const daemons = await this.daemons()
      return { daemons, mixed: mixedOf(daemons), backlog: await readBacklog(queue, daemons, clock.now()) }
    })
    return this.#state.reading
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

  #shared<T>(before: Shared<T> | null, read: () => Promise<T>): Shared<T> {
    const at = this.#options.clock.monotonic()
    return before && at - before.at < SHARED_MS ? before : { at, reading: read() }
  }
}

interface Shared<T> {
  readonly at: number
  readonly reading: Promise<T>
}

import type { Reason } from '../../core/reasons.js'
import type { DaemonState } from '../../fleet/daemon-state.js'
import { JobPace } from '../../fleet/job-pace.js'
import type { RecentRow } from '../../fleet/recent-rows.js'
import { QUEUE_NAMES, type QueueName } from '../../queue/queues.js'
import type { ServiceEvent } from '../../service/port.js'
import { Comparisons } from './comparisons.js'
import { MediaWatch } from './media-watch.js'

/** Rows that the console looks for what it shows in. */
export const RECENT_ROWS = 250

/** What happened lately, kept in memory for the console and readiness. */
export class Activity {
  readonly #monotonic: () => number
  readonly pace: Readonly<Record<QueueName, JobPace>>
  #recent: readonly RecentRow[] = []
  #shareRow: (row: RecentRow) => void = () => {}
  readonly comparisons = new Comparisons()
  readonly media: MediaWatch
  #connected = false
  #reconnects = 0
  #lastByteAt: number | null = null
  #lost: Reason = 'stream-ended'

  /** @param monotonic milliseconds that never jump */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
    this.media = new MediaWatch(monotonic)
    const paces = QUEUE_NAMES.map((name) => [name, new JobPace(monotonic)])
    this.pace = Object.fromEntries(paces) as Record<QueueName, JobPace>
  }

  get recent(): readonly RecentRow[] {
    return this.#recent
  }

  /** A verdict is shown until the outcome of its asset is known. */
  addRow(row: RecentRow): void {
    const verdictAt = this.#recent.findIndex(({ assetId, outcome }) => outcome === 'verdict' && assetId === row.assetId)
    this.#recent = [row, ...this.#recent.toSpliced(verdictAt < 0 ? RECENT_ROWS - 1 : verdictAt, 1)]
    this.#shareRow(row)
  }

  /** From now on every row is passed on, too. */
  shareRows(share: (row: RecentRow) => void): void {
    this.#shareRow = share
  }

  streamEvent(event: ServiceEvent): void {
    // Malformed events are trouble on a standing connection, which sent data; all other trouble ends it.
    if (event.kind === 'trouble' && event.retryInMs !== undefined) {
      if (this.#connected) this.#reconnects += 1
      this.#connected = false
      this.#lost = event.reason
      return
    }
    this.#connected = true
    this.#lastByteAt = this.#monotonic()
  }

  /** Why the last connection of the stream ended or was not made. */
  get streamLost(): Reason {
    return this.#lost
  }

  stream(): NonNullable<DaemonState['stream']> {
    const lastByteAgeMs = this.#lastByteAt === null ? null : Math.round(this.#monotonic() - this.#lastByteAt)
    return { connected: this.#connected, lastByteAgeMs, reconnects: this.#reconnects }
  }
}

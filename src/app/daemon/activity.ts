import type { Reason } from '../../core/reasons.js'
import type { ConsoleState, RecentRow, ShadowRow } from '../../observe/console/console-state.js'
import type { ShadowComparison } from '../../pipeline/pipeline-events.js'
import { QUEUE_NAMES, type QueueName } from '../../queue/queues.js'
import type { ServiceEvent } from '../../service/port.js'
import { JobPace } from '../fleet/job-pace.js'
import { CanaryBook } from './canary-book.js'
import { MediaWatch } from './media-watch.js'

/** Rows that the console looks for what it shows in. */
export const RECENT_ROWS = 250

/** What happened lately, kept in memory for the console and readiness. */
export class Activity {
  readonly #monotonic: () => number
  /** How fast this process works, by queue. */
  readonly pace: Readonly<Record<QueueName, JobPace>>
  #recent: readonly RecentRow[] = []
  #shareRow: (row: RecentRow) => void = () => {}
  readonly #shadows = new Map<string, ShadowRow>()
  #shadowsDropped = 0
  readonly canaries = new CanaryBook()
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
    const others = this.#recent.filter(({ assetId, outcome }) => outcome !== 'verdict' || assetId !== row.assetId)
    this.#recent = [row, ...others].slice(0, RECENT_ROWS)
    this.#shareRow(row)
  }

  /** From now on every row is passed on, too. */
  shareRows(share: (row: RecentRow) => void): void {
    this.#shareRow = share
  }

  shadowed({ measurement, agrees, wouldChange }: ShadowComparison): void {
    const { id, version } = measurement.detector
    const name = `${id}@${version}`
    const row = this.#shadows.get(name) ?? { name, measured: 0, agreed: 0, wouldChange: 0, failed: 0 }
    this.#shadows.set(name, {
      name,
      measured: row.measured + (agrees === null ? 0 : 1),
      agreed: row.agreed + (agrees ? 1 : 0),
      wouldChange: row.wouldChange + (wouldChange ? 1 : 0),
      failed: row.failed + (agrees === null ? 1 : 0),
    })
  }

  shadowDropped(): void {
    this.#shadowsDropped += 1
  }

  /** Since the start, by shadow detector. */
  shadows(): NonNullable<ConsoleState['shadows']> {
    return { rows: [...this.#shadows.values()], dropped: this.#shadowsDropped }
  }

  streamEvent(event: ServiceEvent): void {
    if (event.kind === 'trouble') {
      // Malformed events are trouble on a standing connection; all other trouble ends it.
      if (event.retryInMs === undefined) return
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

  stream(): NonNullable<ConsoleState['stream']> {
    const lastByteAgeMs = this.#lastByteAt === null ? null : Math.round(this.#monotonic() - this.#lastByteAt)
    return { connected: this.#connected, lastByteAgeMs, reconnects: this.#reconnects }
  }
}

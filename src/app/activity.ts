import type { ConsoleState, RecentRow } from '../observe/console-state.js'
import type { ServiceEvent } from '../service/port.js'

/** Rows that the console shows. */
const RECENT_ROWS = 50

/** What happened lately, kept in memory for the console and readiness. */
export class Activity {
  readonly #monotonic: () => number
  readonly #recent: RecentRow[] = []
  #connected = false
  #reconnects = 0
  #lastByteAt: number | null = null

  /** @param monotonic milliseconds that never jump */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  get recent(): readonly RecentRow[] {
    return this.#recent
  }

  addRow(row: RecentRow): void {
    this.#recent.unshift(row)
    this.#recent.length = Math.min(this.#recent.length, RECENT_ROWS)
  }

  streamEvent(event: ServiceEvent): void {
    if (event.kind === 'trouble') {
      // Malformed events are trouble on a standing connection; all other trouble ends it.
      if (event.retryInMs === undefined) return
      if (this.#connected) this.#reconnects += 1
      this.#connected = false
      return
    }
    this.#connected = true
    this.#lastByteAt = this.#monotonic()
  }

  stream(): NonNullable<ConsoleState['stream']> {
    const lastByteAgeMs = this.#lastByteAt === null ? null : Math.round(this.#monotonic() - this.#lastByteAt)
    return { connected: this.#connected, lastByteAgeMs, reconnects: this.#reconnects }
  }
}

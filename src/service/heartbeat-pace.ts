/** Intervals that must have been seen before a stream is measured by its own heartbeats, and the last ones that count. */
const ENOUGH = 3
const LAST = 8
/** Heartbeats that may stay out before the stream counts as silent. */
const MISSED = 3
/** Heartbeats closer than this, ms, came late and together, and measure nothing. */
const LEAST_INTERVAL_MS = 1000
/** A service that beats fast may still pause for a moment, ms. */
const LEAST_SILENCE_MS = 5000

/** How long one connection of a stream may be silent, by the heartbeats that it sent so far. */
export class HeartbeatPace {
  readonly #capMs: number
  #lastAt: number | null = null
  readonly #intervals: number[] = []

  /** @param capMs the silence that is allowed before the pace is known, and at most, ms */
  constructor(capMs: number) {
    this.#capMs = capMs
  }

  /** A heartbeat arrived. @param at monotonic time, ms */
  beat(at: number): void {
    const intervalMs = this.#lastAt === null ? 0 : at - this.#lastAt
    this.#lastAt = at
    if (intervalMs < LEAST_INTERVAL_MS) return
    this.#intervals.push(intervalMs)
    if (this.#intervals.length > LAST) this.#intervals.shift()
  }

  /** Longest silence that is allowed now, ms. */
  get idleMs(): number {
    if (this.#intervals.length < ENOUGH) return this.#capMs
    return Math.min(this.#capMs, Math.max(LEAST_SILENCE_MS, MISSED * Math.max(...this.#intervals)))
  }
}

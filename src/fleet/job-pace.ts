/** The span over which ended jobs are counted, ms. */
const SPAN_MS = 60_000
/** Jobs by which it is judged how long one takes. */
const JUDGED = 100
/** Times that are kept: a minute of 300 jobs a second; of faster work the pace is stated too low. */
const MAX_TIMES = 18_000

/** How fast the jobs of one queue end in this process. */
export class JobPace {
  readonly #monotonic: () => number
  readonly #started: number
  readonly #lastMs: number[] = []
  #endedAt: number[] = []

  /** @param monotonic milliseconds that never jump */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
    this.#started = monotonic()
  }

  /** @param elapsedMs what its last attempt took */
  ended(elapsedMs: number): void {
    if (this.#endedAt.push(this.#monotonic()) > MAX_TIMES) this.#endedAt.shift()
    if (this.#lastMs.push(elapsedMs) > JUDGED) this.#lastMs.shift()
  }

  /** Jobs that ended in the last minute, or since the start, a second. */
  perSecond(): number {
    const now = this.#monotonic()
    this.#endedAt = this.#endedAt.filter((at) => now - at <= SPAN_MS)
    const spanMs = Math.max(1000, Math.min(SPAN_MS, now - this.#started))
    return (this.#endedAt.length / spanMs) * 1000
  }

  /** Jobs a second with all slots busy, by the last ones: unlike `perSecond` it holds while idle. Null before any. */
  capacity(concurrency: number): number | null {
    if (this.#lastMs.length === 0) return null
    const meanMs = this.#lastMs.reduce((sum, one) => sum + one, 0) / this.#lastMs.length
    return (concurrency * 1000) / Math.max(1, meanMs)
  }
}

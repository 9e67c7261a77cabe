import type { Clock } from './clock.js'
import { unlessAborted } from './time-limit.js'

/** How long a value answers further callers after its reading began; without it only those who come while it runs. */
export interface Kept<T> {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Milliseconds, or by what was read. */
  readonly keptMs: number | ((value: T) => number)
}

interface Reading<T> {
  readonly reading: Promise<T>
  /** Until when it is shared, monotonic ms. */
  endsAt: number
}

/** One reading that all callers of a moment share. A reading that failed is shared while it runs and never kept. */
export class SharedReading<T> {
  readonly #kept: Kept<T> | undefined
  #current: Reading<T> | null = null

  constructor(kept?: Kept<T>) {
    this.#kept = kept
  }

  /** Whether a caller now would start no reading of its own. */
  get isShared(): boolean {
    return this.#current !== null && this.#now() < this.#current.endsAt
  }

  /** The value of the reading under way or kept, else of one that `read` starts. @param signal ends this caller's wait alone */
  share(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (!this.isShared) this.#start(read)
    return unlessAborted(this.#current!.reading, signal)
  }

  forget(): void {
    this.#current = null
  }

  #start(read: () => Promise<T>): void {
    this.#current = { reading: read(), endsAt: Number.POSITIVE_INFINITY }
    void this.#settle(this.#current, this.#now())
  }

  async #settle(current: Reading<T>, startedAt: number): Promise<void> {
    const { keptMs = 0 } = this.#kept ?? {}
    try {
      const value = await current.reading
      current.endsAt = startedAt + (typeof keptMs === 'number' ? keptMs : keptMs(value))
    } catch {
      current.endsAt = startedAt
    }
  }

  #now(): number {
    return this.#kept?.clock.monotonic() ?? 0
  }
}

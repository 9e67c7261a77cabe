import type { Clock } from '../core/clock.js'
import { startTimer } from '../core/time-limit.js'

/**
 * Notices locks that were not renewed in time. BullMQ reports a renewal that the engine refused, but not one that never
 * came back: without this a process cut off from its engine would go on with jobs that another one has taken over.
 */
export class LockWatch {
  readonly #clock: Clock
  readonly #lockMs: number
  readonly #onExpired: (jobId: string) => void
  /** What takes back the timer of each job. */
  readonly #timers = new Map<string, () => void>()

  /** @param lockMs how long a lock lasts, milliseconds */
  constructor(clock: Clock, lockMs: number, onExpired: (jobId: string) => void) {
    this.#clock = clock
    this.#lockMs = lockMs
    this.#onExpired = onExpired
  }

  begin(jobId: string): void {
    this.end(jobId)
    this.#timers.set(
      jobId,
      startTimer(this.#clock, this.#lockMs, () => this.#onExpired(jobId)),
    )
  }

  renewed(jobIds: readonly string[]): void {
    for (const id of jobIds) if (this.#timers.has(id)) this.begin(id)
  }

  end(jobId: string): void {
    this.#timers.get(jobId)?.()
    this.#timers.delete(jobId)
  }

  endAll(): void {
    for (const id of this.#timers.keys()) this.end(id)
  }
}

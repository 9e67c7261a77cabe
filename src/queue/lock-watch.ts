/**
 * Notices locks that were not renewed in time. BullMQ reports a renewal that the engine refused, but not one that never
 * came back: without this a process cut off from its engine would go on with jobs that another one has taken over.
 */
export class LockWatch {
  readonly #lockMs: number
  readonly #onExpired: (jobId: string) => void
  readonly #timers = new Map<string, NodeJS.Timeout>()

  /** @param lockMs how long a lock lasts, milliseconds */
  constructor(lockMs: number, onExpired: (jobId: string) => void) {
    this.#lockMs = lockMs
    this.#onExpired = onExpired
  }

  begin(jobId: string): void {
    this.end(jobId)
    this.#timers.set(
      jobId,
      setTimeout(() => this.#onExpired(jobId), this.#lockMs),
    )
  }

  renewed(jobIds: readonly string[]): void {
    for (const id of jobIds) this.#timers.get(id)?.refresh()
  }

  end(jobId: string): void {
    clearTimeout(this.#timers.get(jobId))
    this.#timers.delete(jobId)
  }

  endAll(): void {
    for (const id of this.#timers.keys()) this.end(id)
  }
}

import type { Clock } from '../../src/core/clock.js'

interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #wall: number
  #monotonic = 1_000
  readonly #sleepers = new Set<Sleeper>()

  /** @param wall first answer of `now()`, Unix milliseconds */
  constructor(wall = Date.UTC(2026, 0, 1)) {
    this.#wall = wall
  }

  /** How many calls of `sleep` wait. */
  get sleeping(): number {
    return this.#sleepers.size
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#monotonic
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = () => {
        this.#sleepers.delete(sleeper)
        reject(signal?.reason)
      }
      const wake = () => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const sleeper = { dueAt: this.#monotonic + ms, wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Moves time, waking sleepers in the order they are due and letting each of them run before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms
    for (;;) {
      const next = [...this.#sleepers].sort((a, b) => a.dueAt - b.dueAt)[0]
      if (!next || next.dueAt > end) break
      this.tick(Math.max(0, next.dueAt - this.#monotonic))
      next.wake()
      await settle()
    }
    this.tick(end - this.#monotonic)
    await settle()
  }

  /** Moves time without waking anyone: for the inside of a stubbed request. */
  tick(ms: number): void {
    this.#wall += ms
    this.#monotonic += ms
  }

  /** Moves the wall clock alone: what a time correction looks like, and waking from suspend. */
  stepWall(ms: number): void {
    this.#wall += ms
  }

  /** Resolves once at least `count` calls of `sleep` wait. */
  async untilSleeping(count = 1): Promise<void> {
    while (this.#sleepers.size < count) await settle()
  }
}

/** Lets promise callbacks and finished I/O run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

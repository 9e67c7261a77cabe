import type { Clock } from '../core/clock.js'

/** The service's own clock: local time plus a skew that tests set. Windows and deadlines are judged by it. */
export class ServiceTime {
  readonly #clock: Clock
  #offsetMs: number

  constructor(clock: Clock, offsetMs = 0) {
    this.#clock = clock
    this.#offsetMs = offsetMs
  }

  /** Unix milliseconds, integer. */
  now(): number {
    return Math.round(this.#clock.now() + this.#offsetMs)
  }

  get offsetMs(): number {
    return this.#offsetMs
  }

  /** Service time runs ahead of local time by `offsetMs`, behind where it is negative. */
  setOffset(offsetMs: number): void {
    this.#offsetMs = offsetMs
  }
}

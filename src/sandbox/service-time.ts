import type { Clock } from '../core/clock.js'

/** The service's own clock: local time plus a skew that tests set. Windows and deadlines are judged by it. */
export class ServiceTime {
  readonly #clock: Clock
  /** How far service time runs ahead of local time, behind where it is negative, milliseconds. */
  offsetMs: number

  constructor(clock: Clock, offsetMs: number) {
    this.#clock = clock
    this.offsetMs = offsetMs
  }

  /** Unix milliseconds, integer. */
  now(): number {
    return Math.round(this.#clock.now() + this.offsetMs)
  }
}

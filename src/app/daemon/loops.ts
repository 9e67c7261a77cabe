import type { Clock } from '../../core/clock.js'
import { toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import { withinLimit } from '../../core/time-limit.js'

/** The loops that run next to the workers until a stop. One that ends before needs a restart of the daemon. */
export class Loops {
  /** Resolves with the error of a loop that ended too early, or of what the process was lost over. */
  readonly lost: Promise<Error>
  readonly #stopping: AbortSignal
  readonly #clock: Clock
  readonly #log: Log
  readonly #running: Promise<void>[] = []
  #reportLost: (error: Error) => void = () => {}

  constructor(stopping: AbortSignal, clock: Clock, log: Log) {
    this.#clock = clock
    this.#stopping = stopping
    this.#log = log
    this.lost = new Promise((resolve) => {
      this.#reportLost = resolve
    })
  }

  keep(name: string, loop: Promise<void>): void {
    this.#running.push(
      loop.then(
        () => this.#end(name, new Error('it returned')),
        (error: unknown) => this.#end(name, error),
      ),
    )
  }

  /** Loses the process over what no loop ended by. */
  lose(error: Error): void {
    if (!this.#stopping.aborted) this.#reportLost(error)
  }

  /** Resolves when all loops ended, at the latest after `capMs`. */
  async ended(capMs: number): Promise<void> {
    await withinLimit(this.#clock, capMs, Promise.all(this.#running), () => undefined)
  }

  #end(name: string, error: unknown): void {
    if (this.#stopping.aborted) return
    const failure = toAttestdError(error)
    this.#log.error({ reason: failure.reason, err: failure, loop: name }, 'a background loop ended')
    this.#reportLost(failure)
  }
}

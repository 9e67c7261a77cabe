import { toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'

/** The loops that run beside the workers until a stop. One that ends before is a loss that only a restart mends. */
export class Loops {
  /** Resolves with the error of a loop that ended too early, or of what the process was lost over. */
  readonly lost: Promise<Error>
  readonly #stopping: AbortSignal
  readonly #log: Log
  readonly #running: Promise<void>[] = []
  #tellLost: (error: Error) => void = () => {}

  constructor(stopping: AbortSignal, log: Log) {
    this.#stopping = stopping
    this.#log = log
    this.lost = new Promise((resolve) => {
      this.#tellLost = resolve
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
    if (!this.#stopping.aborted) this.#tellLost(error)
  }

  /** Resolves when all loops ended, at the latest after `capMs`. */
  async ended(capMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, capMs)
    })
    await Promise.race([Promise.all(this.#running), late])
    clearTimeout(timer)
  }

  #end(name: string, error: unknown): void {
    if (this.#stopping.aborted) return
    const failure = toAttestdError(error)
    this.#log.error({ reason: failure.reason, err: failure, loop: name }, 'a loop of the daemon ended')
    this.#tellLost(failure)
  }
}

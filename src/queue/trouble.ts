import type { Clock } from '../core/clock.js'
import type { AttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { QueueName, WorkerEvents } from './queues.js'

/** The same trouble is logged once in this time, milliseconds; an outage would else write a line for every try. */
const REPEAT_MS = 30_000

/** Tells the workers' listeners about trouble of the engine, and the log at a measured pace. */
export class TroubleReporter {
  readonly #clock: Clock
  readonly #log: Log
  readonly #listeners = new Set<WorkerEvents>()
  readonly #told = new Map<string, { readonly at: number; withheld: number }>()

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** @returns ends the listening */
  listen(events: WorkerEvents): () => void {
    this.#listeners.add(events)
    return () => this.#listeners.delete(events)
  }

  report(queue: QueueName | null, error: AttestdError): void {
    const { reason, message } = error
    const key = `${queue ?? ''} ${reason}`
    const now = this.#clock.monotonic()
    const last = this.#told.get(key)
    // The listeners hear of all of it: each time the engine may have lost jobs.
    for (const events of this.#listeners) events.trouble?.({ queue, reason, message })
    if (last && now - last.at < REPEAT_MS) {
      last.withheld++
      return
    }
    this.#told.set(key, { at: now, withheld: 0 })
    this.#log.warn({ queue, reason, detail: message, withheld: last?.withheld ?? 0 }, 'queue engine had trouble')
  }
}

import type { Clock } from '../core/clock.js'
import type { AttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { createThrottledLog, type ThrottledLog } from '../observe/throttled-log.js'
import type { QueueName, WorkerEvents } from './queues.js'

/** Reports trouble of the engine to the workers' listeners, and to the log at a limited rate. */
export class TroubleReporter {
  readonly #outages: ThrottledLog
  readonly #listeners = new Set<WorkerEvents>()

  constructor(clock: Clock, log: Log) {
    this.#outages = createThrottledLog({ log, clock })
  }

  /** @returns ends the listening */
  listen(events: WorkerEvents): () => void {
    this.#listeners.add(events)
    return () => this.#listeners.delete(events)
  }

  report(queue: QueueName | null, error: AttestdError): void {
    const { reason, message } = error
    // The listeners hear of all of it: each time the engine may have lost jobs.
    for (const events of this.#listeners) events.trouble?.({ queue, reason, message })
    // Both queues and their connections live on one engine: they lose it together, in one line.
    this.#outages.trouble({ reason, message: 'queue error', facts: { queue, detail: message } })
  }
}

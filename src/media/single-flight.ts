import { unlessAborted } from '../core/time-limit.js'

interface Flight<T> {
  readonly promise: Promise<T>
  readonly controller: AbortController
  members: number
}

/**
 * Lets callers that want the same thing share one run of the work. A caller may leave (by its signal) without ending
 * the work for the others; when all have left, the work is aborted.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>()
  /** Runs whose work has not ended, those that nobody waits for included. */
  readonly #running = new Set<Flight<T>>()
  readonly #dispose: (value: T) => void

  /** @param dispose called once per run, when the last caller is done with its value */
  constructor(dispose: (value: T) => void) {
    this.#dispose = dispose
  }

  /** Whether a call of `join` would share a run of `key` now. */
  has(key: string): boolean {
    return this.#flights.has(key)
  }

  /** Joins the run of `key`, or starts it, and gives its value to `use` while it is held. */
  async join<R>(
    key: string,
    start: (signal: AbortSignal) => Promise<T>,
    use: (value: T) => Promise<R>,
    signal?: AbortSignal,
  ): Promise<R> {
    signal?.throwIfAborted()
    const flight = this.#flights.get(key) ?? this.#start(key, start)
    flight.members += 1
    try {
      return await use(await unlessAborted(flight.promise, signal))
    } finally {
      flight.members -= 1
      if (flight.members === 0) this.#end(key, flight)
    }
  }

  async abortAll(reason: unknown): Promise<void> {
    const flights = [...this.#running]
    for (const flight of flights) flight.controller.abort(reason)
    await Promise.allSettled(flights.map((flight) => flight.promise))
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController()
    const promise = start(controller.signal)
    const flight = { promise, controller, members: 0 }
    this.#flights.set(key, flight)
    this.#running.add(flight)
    const onEnd = () => this.#running.delete(flight)
    // Failures are seen by the members; here they must not become unhandled when all have left.
    promise.then(onEnd, onEnd)
    return flight
  }

  #end(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
    if (this.#running.has(flight)) {
      flight.controller.abort(new DOMException('no caller waits for this any more', 'AbortError'))
    }
    flight.promise.then(this.#dispose, () => {})
  }
}

/** A line of callers: each takes what is handed out next, first come first served; an aborted one leaves the line. */
export class WaitingLine<T> {
  readonly #line: { resolve(value: T): void; reject(error: unknown): void }[] = []

  get length(): number {
    return this.#line.length
  }

  /** Waits for the next hand-out; rejects with the signal's reason when it aborts first. */
  join(signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const place = {
        resolve: (value: T) => {
          signal?.removeEventListener('abort', leave)
          resolve(value)
        },
        reject: (error: unknown) => {
          signal?.removeEventListener('abort', leave)
          reject(error)
        },
      }
      const leave = () => {
        this.#line.splice(this.#line.indexOf(place), 1)
        place.reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#line.push(place)
    })
  }

  /** Gives a value to the first in line. @returns false where nobody waits */
  handOut(value: T): boolean {
    const first = this.#line.shift()
    first?.resolve(value)
    return first !== undefined
  }

  /** Sends everybody away with an error. */
  dismiss(error: unknown): void {
    for (const place of this.#line.splice(0)) place.reject(error)
  }
}

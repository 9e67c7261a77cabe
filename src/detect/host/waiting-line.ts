/** Where one stands in a line. */
interface Place<T> {
  /** Whether it keeps what it gets for long, so that others may be served first. */
  readonly isCostly: boolean
  resolve(value: T): void
  reject(error: unknown): void
}

/** A line of callers: each takes what is handed out next, first come first served; an aborted one leaves the line. */
export class WaitingLine<T> {
  readonly #line: Place<T>[] = []

  get length(): number {
    return this.#line.length
  }

  /** Waits for the next hand-out; rejects with the signal's reason when it aborts first. */
  join(signal?: AbortSignal, isCostly = false): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const place = {
        isCostly,
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

  /**
   * Gives a value to the first in line.
   * @param cheapFirst the first that is not costly is served before all that are
   * @returns whom it was given to; null where nobody waits
   */
  handOut(value: T, cheapFirst = false): { readonly isCostly: boolean } | null {
    const cheap = cheapFirst ? this.#line.findIndex(({ isCostly }) => !isCostly) : 0
    const [served] = this.#line.splice(Math.max(0, cheap), 1)
    served?.resolve(value)
    return served ?? null
  }

  /** Sends everybody away with an error. */
  dismiss(error: unknown): void {
    for (const place of this.#line.splice(0)) place.reject(error)
  }
}

interface Place<T> {
  /** Whether it keeps what it gets for long, so that others may be served first. */
  readonly isCostly: boolean
  /** Cheap ones served while it was the first of the costly ones. */
  passed: number
  resolve(value: T): void
  reject(error: unknown): void
}

/** A line of callers: each takes what is handed out next, first come first served; an aborted one leaves the line. */
export class WaitingLine<T> {
  readonly #line: Place<T>[] = []

  get length(): number {
    return this.#line.length
  }

  get costly(): number {
    return this.#line.filter(({ isCostly }) => isCostly).length
  }

  /** Waits for the next hand-out; rejects with the signal's reason when it aborts first. */
  join(signal?: AbortSignal, isCostly = false): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const place = {
        isCostly,
        passed: 0,
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
   * @param cheapFirst so many cheap ones go before the costly one that has waited longest; then the order of arrival holds
   * @returns whom it was given to; null where nobody waits
   */
  handOut(value: T, cheapFirst = 0): { readonly isCostly: boolean } | null {
    const costly = this.#line.find(({ isCostly }) => isCostly)
    const cheap = this.#line.findIndex(({ isCostly }) => !isCostly)
    const isPassed = costly !== undefined && cheap !== -1 && costly.passed < cheapFirst
    const [served] = this.#line.splice(isPassed ? cheap : 0, 1)
    if (costly !== undefined && served?.isCostly === false) costly.passed += 1
    served?.resolve(value)
    return served ?? null
  }

  dismiss(error: unknown): void {
    for (const place of this.#line.splice(0)) place.reject(error)
  }
}

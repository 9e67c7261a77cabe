interface Entry {
  readonly isUrgent: () => Promise<boolean>
  readonly settle: (admitted: boolean) => void
  readonly signal: AbortSignal
}

/**
 * Lets workers of several queues take jobs: together no more than so many at the same time, so that none is taken for
 * which there is no room. Who has an urgent job goes first, then who has waited longest. A job that only waits may step
 * aside, so that another is taken in its place.
 */
export class Admission {
  /** Jobs that a worker may hold at most, those aside among them. */
  readonly most: number
  readonly #aside: number
  /** Below 0 where jobs have come back to places that were taken meanwhile. */
  #free: number
  #isAside = 0
  #waiting: readonly Entry[] = []
  #choosing = false

  /** @param size jobs at the same time @param aside jobs that may step aside at the same time */
  constructor(size: number, aside = 0) {
    this.most = size + aside
    this.#aside = aside
    this.#free = size
  }

  /**
   * Whether a worker may run its next job in the place of one that ends: where no other worker waits for a place, and no
   * job that came back waits for this one to be left.
   * @param own the signal by which the worker itself waits, if it does
   */
  mayPassOn(own: AbortSignal | undefined): boolean {
    return this.#free >= 0 && this.#waiting.every(({ signal }) => signal === own)
  }

  /**
   * Waits for a place, to be left once no job came or the job ended.
   * @param isUrgent asked only where several wait; a failure counts as no
   * @returns false once the signal aborts
   */
  enter(isUrgent: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        this.#waiting = this.#waiting.filter((one) => one !== entry)
        signal.removeEventListener('abort', onAbort)
        resolve(admitted)
      }
      const onAbort = () => settle(false)
      const entry = { isUrgent, settle, signal }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#waiting = [...this.#waiting, entry]
      void this.#admit()
    })
  }

  /** Takes a place without waiting. @returns false where there is none, or another waits for it */
  enterNow(): boolean {
    if (this.#free <= 0 || this.#waiting.length > 0) return false
    this.#free -= 1
    return true
  }

  /** Gives a place back. */
  leave(): void {
    this.#free += 1
    void this.#admit()
  }

  /** Gives a place back until `comeBack`. @returns false where as many are aside as may be: the place is kept */
  stepAside(): boolean {
    if (this.#isAside >= this.#aside) return false
    this.#isAside += 1
    this.leave()
    return true
  }

  /** Takes a place at once, also where none is free: then none is given until enough have left. */
  comeBack(): void {
    this.#isAside -= 1
    this.#free -= 1
  }

  async #admit(): Promise<void> {
    if (this.#choosing) return
    this.#choosing = true
    while (this.#free > 0 && this.#waiting.length > 0) {
      const next = this.#waiting.length > 1 ? await firstOf(this.#waiting) : this.#waiting[0]!
      // It may have gone away meanwhile.
      if (!this.#waiting.includes(next)) continue
      this.#free -= 1
      next.settle(true)
    }
    this.#choosing = false
  }
}

async function firstOf(waiting: readonly Entry[]): Promise<Entry> {
  const urgent = await Promise.all(waiting.map(({ isUrgent }) => isUrgent().catch(() => false)))
  return waiting.find((_, nth) => urgent[nth]) ?? waiting[0]!
}

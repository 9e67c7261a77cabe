import type { Reason } from '../../core/reasons.js'

/** Fetches that failed in a row since the last media arrived. */
export interface MediaOutage {
  readonly failures: number
  /** How long ago the first of them failed, ms. */
  readonly sinceMs: number
  /** Of the last one. */
  readonly reason: Reason
}

/** Fewer failures in a row may be about single files that no gateway has. */
const ENOUGH = 3

/** Whether media arrives: what the media check of readiness is made from. */
export class MediaWatch {
  readonly #monotonic: () => number
  #outage: { failures: number; since: number; reason: Reason } | null = null

  /** @param monotonic milliseconds that never jump */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic
  }

  failed(reason: Reason): void {
    const { failures, since } = this.#outage ?? { failures: 0, since: this.#monotonic() }
    this.#outage = { failures: failures + 1, since, reason }
  }

  arrived(): void {
    this.#outage = null
  }

  /** Null while media arrives, or too few fetches failed to tell. */
  get outage(): MediaOutage | null {
    if (this.#outage === null || this.#outage.failures < ENOUGH) return null
    const { failures, reason, since } = this.#outage
    return { failures, sinceMs: this.#monotonic() - since, reason }
  }
}

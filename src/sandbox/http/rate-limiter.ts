/** The budget of one access key in a window of milliseconds; `RATE_LIMIT` where nothing else is configured. */
export interface RateLimit {
  readonly requests: number
  readonly windowMs: number
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** A token bucket for each key: `requests` at once, refilled evenly over the window. */
export class RateLimiter {
  readonly #limit: RateLimit | null
  readonly #monotonic: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(limit: RateLimit | null, monotonic: () => number) {
    this.#limit = limit
    this.#monotonic = monotonic
  }

  /** Takes one request off the key's budget. @returns 0, or the milliseconds to wait where the budget is spent */
  take(key: string): number {
    if (this.#limit === null) return 0
    const { requests, windowMs } = this.#limit
    const now = this.#monotonic()
    const bucket = this.#buckets.get(key) ?? { tokens: requests, filledAt: now }
    const tokens = Math.min(requests, bucket.tokens + ((now - bucket.filledAt) * requests) / windowMs)
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, filledAt: now })
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * windowMs) / requests)
  }

  reset(): void {
    this.#buckets.clear()
  }
}

import type { Clock } from '../core/clock.js'

/** Wrong passwords that an address may send at once. */
const AT_ONCE = 10
/** Time after which it may send one more, ms. */
const ONE_EVERY_MS = 10_000
/** Addresses that are remembered; of more, the one that was quiet for longest is forgotten. */
const MAX_ADDRESSES = 1000

/** Counts wrong passwords by address, so that nobody tries many. */
export class WrongPasswords {
  readonly #clock: Pick<Clock, 'monotonic'>
  /** When all is forgiven, monotonic ms: each wrong password moves it by `ONE_EVERY_MS`. */
  readonly #forgivenAt = new Map<string, number>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** How long an address has to wait before its next password is looked at, ms; 0 where it need not. */
  waitMs(address: string): number {
    const owed = (this.#forgivenAt.get(address) ?? 0) - this.#clock.monotonic()
    return Math.max(0, owed - (AT_ONCE - 1) * ONE_EVERY_MS)
  }

  add(address: string): void {
    const now = this.#clock.monotonic()
    const forgivenAt = Math.max(now, this.#forgivenAt.get(address) ?? 0) + ONE_EVERY_MS
    this.#forgivenAt.delete(address)
    this.#forgivenAt.set(address, forgivenAt)
    const oldest = this.#forgivenAt.keys().next().value
    if (this.#forgivenAt.size > MAX_ADDRESSES && oldest !== undefined) this.#forgivenAt.delete(oldest)
  }
}

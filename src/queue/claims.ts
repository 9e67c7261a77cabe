import type { Clock } from '../core/clock.js'

/** Claims on work that must not run twice at the same time on one queue; each ends by itself unless it is taken again. */
export interface Claims {
  /**
   * Takes a claim, or renews one of the same owner.
   * @param ms how long it lasts
   * @returns false where another owner has it
   * @throws AttestdError queue-unreachable
   */
  take(key: string, owner: string, ms: number): Promise<boolean>
  /** Gives up a claim; does nothing to one of another owner. @throws AttestdError queue-unreachable */
  release(key: string, owner: string): Promise<void>
}

/** Texts that every daemon of one queue sees for a while. */
export interface SharedTexts {
  /** @throws AttestdError queue-unreachable */
  get(key: string): Promise<string | null>
  /** @param ms how long it is kept. @throws AttestdError queue-unreachable */
  set(key: string, text: string, ms: number): Promise<void>
}

/** The claims of a queue that one process serves. */
export class MemoryClaims implements Claims {
  readonly #clock: Clock
  readonly #held = new Map<string, { owner: string; until: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async take(key: string, owner: string, ms: number): Promise<boolean> {
    const now = this.#clock.monotonic()
    const held = this.#held.get(key)
    if (held && held.owner !== owner && held.until > now) return false
    this.#held.set(key, { owner, until: now + ms })
    return true
  }

  async release(key: string, owner: string): Promise<void> {
    if (this.#held.get(key)?.owner === owner) this.#held.delete(key)
  }
}

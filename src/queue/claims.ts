import type { Clock } from '../core/clock.js'

/** Claims on work that must not run twice at the same time on one queue; each ends by itself unless it is taken again. */
export interface Claims {
  /** Takes a claim for `ms`, or renews the owner's. @returns false where another has it @throws queue-unreachable */
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

/** How long a claim outlives the process that took it, ms; it is renewed three times as often. */
const CLAIM_MS = 15_000

export interface ClaimOptions {
  readonly claims: Claims
  readonly clock: Pick<Clock, 'sleep'>
  /** Who works: an id that only one worker has at a time, such as that of a job. */
  readonly owner: string
  /** Called where the queue engine did not answer: the work is then done, perhaps twice. */
  readonly onFailure: (error: unknown) => void
}

/** Does work that no other daemon of the queue may do meanwhile. @returns null where another owner has the claim */
export async function claimedWork<T>(key: string, options: ClaimOptions, work: () => Promise<T>): Promise<T | null> {
  const { claims, onFailure, owner } = options
  const taken = await claims.take(key, owner, CLAIM_MS).catch((error) => {
    onFailure(error)
    return true
  })
  if (!taken) return null
  const done = new AbortController()
  const renewing = renew(key, options, done.signal)
  try {
    return await work()
  } finally {
    done.abort(null)
    await renewing
    await claims.release(key, owner).catch(onFailure)
  }
}

async function renew(key: string, { claims, clock, onFailure, owner }: ClaimOptions, signal: AbortSignal) {
  while (!signal.aborted) {
    await clock.sleep(CLAIM_MS / 3, signal).catch(() => {})
    if (!signal.aborted) await claims.take(key, owner, CLAIM_MS).catch(onFailure)
  }
}

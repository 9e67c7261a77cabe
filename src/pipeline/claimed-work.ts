import type { Clock } from '../core/clock.js'
import type { Claims } from '../queue/claims.js'

/** How long a claim outlives the process that took it, ms; it is renewed three times as often. */
const CLAIM_MS = 15_000

/** What a claim is taken with. */
export interface ClaimOptions {
  readonly claims: Claims
  readonly clock: Clock
  /** Who works: the id of a job, which only one worker has at a time. */
  readonly owner: string
  /** Called where the queue engine did not answer: the work is then done, perhaps twice. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Does work under a claim, so that no other daemon of the queue does the same meanwhile.
 * @returns null where another owner has the claim
 */
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
    done.abort()
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

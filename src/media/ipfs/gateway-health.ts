import type { Clock, Random } from '../../core/clock.js'
import { type Backoff, backoffMs } from '../../core/retry.js'

/** How one attempt on a gateway ended. `slow` lost to a hedge after staying silent; `not-found` is no fault. */
export type GatewayOutcome = 'ok' | 'not-found' | 'failed' | 'timeout' | 'slow' | 'rate-limited' | 'integrity'

/** How long a gateway goes to the back of the order after failing. */
const FAILURE_BACKOFF: Backoff = { baseMs: 5_000, maxMs: 5 * 60_000 }
/** The same after it sent bytes that do not verify: a broken or lying gateway, not a passing fault. */
const INTEGRITY_BACKOFF: Backoff = { baseMs: 10 * 60_000, maxMs: 6 * 3_600_000 }
/** Longest Retry-After that is accepted, milliseconds. */
const MAX_RETRY_AFTER_MS = 10 * 60_000
/** Wait after a 429 without Retry-After, milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 30_000

interface Standing {
  failures: number
  integrityFailures: number
  demotedUntil: number
  distrustedUntil: number
  notBefore: number
}

/** Keeps the operator's order of gateways, with those that failed lately at the back. */
export class GatewayHealth<G> {
  readonly #standings: Map<G, Standing>
  readonly #clock: Clock
  readonly #random: Random

  constructor(gateways: readonly G[], clock: Clock, random: Random) {
    const fresh = () => ({ failures: 0, integrityFailures: 0, demotedUntil: 0, distrustedUntil: 0, notBefore: 0 })
    this.#standings = new Map(gateways.map((gateway) => [gateway, fresh()]))
    this.#clock = clock
    this.#random = random
  }

  /** Gateways in the order in which to try them; those that asked to be left alone (Retry-After) are left out. */
  order(): G[] {
    const now = this.#clock.monotonic()
    return [...this.#standings]
      .filter(([, standing]) => standing.notBefore <= now)
      .map(([gateway, standing]) => ({ gateway, demotion: demotion(standing, now) }))
      .sort((a, b) => a.demotion.tier - b.demotion.tier || a.demotion.until - b.demotion.until)
      .map(({ gateway }) => gateway)
  }

  /** Milliseconds until the first gateway that asked to be left alone may be asked again; undefined where none did. */
  retryAfterMs(): number | undefined {
    const now = this.#clock.monotonic()
    const waits = [...this.#standings.values()].map(({ notBefore }) => notBefore - now).filter((wait) => wait > 0)
    return waits.length === 0 ? undefined : Math.ceil(Math.min(...waits))
  }

  /** Takes note of how an attempt ended. @returns whether the gateway went from good standing to the back of the order by this */
  report(gateway: G, outcome: GatewayOutcome, retryAfterMs?: number): boolean {
    const standing = this.#standings.get(gateway)
    if (!standing || outcome === 'not-found') return false
    const now = this.#clock.monotonic()
    const wasGood = demotion(standing, now).tier === 0
    if (outcome === 'ok') {
      standing.failures = 0
      standing.demotedUntil = 0
      return false
    }
    if (outcome === 'rate-limited' || retryAfterMs !== undefined) {
      standing.notBefore = now + Math.min(MAX_RETRY_AFTER_MS, retryAfterMs ?? DEFAULT_RETRY_AFTER_MS)
    }
    if (outcome === 'integrity') {
      standing.integrityFailures += 1
      standing.distrustedUntil = now + backoffMs(standing.integrityFailures, INTEGRITY_BACKOFF, this.#random)
    } else {
      standing.failures += 1
      standing.demotedUntil = now + backoffMs(standing.failures, FAILURE_BACKOFF, this.#random)
    }
    return wasGood
  }
}

/** Distrusted gateways come after demoted ones, and in each group the one whose time is up first comes first. */
function demotion(standing: Standing, now: number): { tier: 0 | 1 | 2; until: number } {
  if (standing.distrustedUntil > now) return { tier: 2, until: standing.distrustedUntil }
  if (standing.demotedUntil > now) return { tier: 1, until: standing.demotedUntil }
  return { tier: 0, until: 0 }
}

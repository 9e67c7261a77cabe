import type { Clock, Random } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'
import { backoffMs, honoredDelayMs } from '../core/retry.js'
import type { RunningWorker } from '../queue/queues.js'
import type { Stake } from '../service/port.js'
import type { ServiceClock } from '../service/service-clock.js'

/** Where it is closed: the first reason why, and how long a job is held before it looks again, ms. */
export type GateAnswer =
  | { readonly open: true }
  | { readonly open: false; readonly reason: Reason; readonly retryInMs: number }

/** Why the service lets a key do nothing. */
export type StakeRefusal = Extract<Reason, 'stake-low' | 'service-forbidden'>

/** What the gate judges time by; stake, role and pauses are reported to it by those who see them. */
export interface GateOptions {
  readonly clock: Clock
  readonly random: Random
  readonly serviceClock: Pick<ServiceClock, 'state'>
}

/** How soon a held submission looks at the gate again, ms. Short, because a look costs nothing on the wire. */
const LOOK_AGAIN_MS = 2000
/** How soon the worker follows the gate, ms. */
const FOLLOW_MS = 250
/** Pause after a 429 that did not state how long, growing while they repeat. */
const RATE_BACKOFF = { baseMs: 2000, maxMs: 60_000 } as const

/**
 * Whether a submission may leave now: an attester, its stake sufficient, the clock trusted, no rate-limit pause.
 * It only answers from what was passed to it; it never asks the service.
 */
export class Gate {
  readonly #options: GateOptions
  #stake: Stake | null = null
  #closedFor: Reason | null = null
  #pausedUntil = Number.NEGATIVE_INFINITY
  #pauseReason: Reason = 'service-rate-limited'
  #rateLimitsInARow = 0
  #refused: StakeRefusal | null = null
  #keyRefused = false
  #stakeDoubted = false
  #hasRole = true

  constructor(options: GateOptions) {
    this.#options = options
  }

  get stake(): Stake | null {
    return this.#stake
  }

  /**
   * @param from a stake stated by the service proves that it lets this key in again; the stake contract does not
   * @returns whether it crossed the minimum, or is the first that is known and below it
   */
  updateStake(stake: Stake, from: 'service' | 'contract' = 'service'): boolean {
    const before = this.stakeOk
    const isFirst = this.#stake === null
    this.#stake = stake
    this.#stakeDoubted = false
    if (from === 'service') this.letIn()
    return before !== this.stakeOk || (isFirst && this.stakeLow)
  }

  /** The service answered 403, as it does below the minimum stake: closed until a stake can be read. @returns whether this is a change */
  refuse(because: StakeRefusal = 'service-forbidden'): boolean {
    const before = this.shutOut
    this.#refused = because
    return before !== this.shutOut
  }

  /**
   * The service refused a score and the stake could not be read again: the last reading no longer counts.
   * @returns whether this is a change
   */
  doubtStake(): boolean {
    const changed = !this.#stakeDoubted
    this.#stakeDoubted = true
    return changed
  }

  get stakeDoubted(): boolean {
    return this.#stakeDoubted
  }

  /** The service let this key in again, whatever it stated of the stake. */
  letIn(): void {
    this.#refused = null
    this.#keyRefused = false
  }

  /** The service answered 401: each send fails by itself, so the gate stays open, but a person is needed. */
  refuseKey(): void {
    this.#keyRefused = true
  }

  /** Whether the service refused the credentials when it was last asked for its list. */
  get keyRefused(): boolean {
    return this.#keyRefused
  }

  /** Why the service lets this key do nothing; a stake that is known to be too low explains more than its refusal. */
  get shutOut(): StakeRefusal | null {
    return this.stakeLow ? 'stake-low' : this.#refused
  }

  /** What keeps this wallet from scoring, whatever the clock and the rate limits state. */
  get stakeTrouble(): Reason | null {
    // What is known of the wallet comes before the refusal that follows from it.
    if (!this.#hasRole) return 'role-missing'
    if (this.shutOut) return this.shutOut
    return this.#stake === null || this.#stakeDoubted ? 'stake-unknown' : null
  }

  /** Whether the stake contract has the wallet as an attester; where none is read, the service alone decides. @returns whether this is a change */
  updateRole(hasRole: boolean): boolean {
    const changed = hasRole !== this.#hasRole
    this.#hasRole = hasRole
    return changed
  }

  get stakeOk(): boolean {
    return this.shutOut === null && this.#stake !== null && !this.#stakeDoubted
  }

  /** Known to be below the minimum. */
  get stakeLow(): boolean {
    return this.#stake !== null && this.#stake.stakedWei < this.#stake.minStakeWei
  }

  /** Closes the gate until the process ends. */
  close(reason: Reason): void {
    this.#closedFor = reason
  }

  /** Why the gate is closed until the process ends; null where it is not. */
  get closedFor(): Reason | null {
    return this.#closedFor
  }

  /** Closes the gate for all jobs for a while, since one refusal of this kind speaks for all of them. */
  pause(reason: Reason, forMs: number): void {
    const until = this.#options.clock.monotonic() + forMs
    if (until <= this.#pausedUntil) return
    this.#pausedUntil = until
    this.#pauseReason = reason
  }

  /** Closes the gate for every submission after a 429. @returns the pause, ms */
  slowDown(retryAfterMs: number | undefined): number {
    this.#rateLimitsInARow += 1
    const ownMs = backoffMs(this.#rateLimitsInARow, RATE_BACKOFF, this.#options.random)
    const pauseMs = honoredDelayMs(retryAfterMs, ownMs)
    this.pause('service-rate-limited', pauseMs)
    return pauseMs
  }

  /** A request got through, so the next 429 is the first in a row again. */
  wentThrough(): void {
    this.#rateLimitsInARow = 0
  }

  check(): GateAnswer {
    if (this.#closedFor) return { open: false, reason: this.#closedFor, retryInMs: LOOK_AGAIN_MS }
    const pauseMs = this.#pausedUntil - this.#options.clock.monotonic()
    if (pauseMs > 0) return { open: false, reason: this.#pauseReason, retryInMs: Math.ceil(pauseMs) }
    const { stakeTrouble } = this
    if (stakeTrouble) return { open: false, reason: stakeTrouble, retryInMs: LOOK_AGAIN_MS }
    if (!this.#options.serviceClock.state().trusted) {
      return { open: false, reason: 'clock-untrusted', retryInMs: LOOK_AGAIN_MS }
    }
    return { open: true }
  }
}

/** Pauses the submit worker while the gate is closed: jobs then wait in the queue instead of asking again and again. */
export async function pauseWhileClosed(
  gate: Gate,
  worker: Pick<RunningWorker, 'pause' | 'resume'>,
  clock: Clock,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  let closedBy: Reason | null = null
  while (!signal.aborted) {
    const answer = gate.check()
    const reason = answer.open ? null : answer.reason
    if (reason !== null && reason !== closedBy) {
      worker.pause()
      log.debug({ reason }, 'submission was paused')
    }
    if (reason === null && closedBy !== null) {
      worker.resume()
      log.debug({}, 'submission was resumed')
    }
    closedBy = reason
    await clock.sleep(FOLLOW_MS, signal).catch(() => {})
  }
}

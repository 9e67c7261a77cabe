import type { Clock, Random, StatedTime } from '../../core/clock.js'
import { AttestdError, toAttestdError } from '../../core/errors.js'
import type { Log } from '../../core/log.js'
import type { Reason } from '../../core/reasons.js'
import { type Backoff, backoffMs, honoredDelayMs } from '../../core/retry.js'
import { SharedReading } from '../../core/shared-reading.js'
import { unlessAborted } from '../../core/time-limit.js'
import type { AuthRoutes } from './auth-routes.js'
import { checkChallenge } from './challenge.js'
import type { Session, WalletRole } from './schemas.js'
import { type SessionTerms, termsOf } from './session-terms.js'
import { walletError } from './wallet-error.js'

/** What signs a challenge: every wallet, seen from here. */
export interface ChallengeSigner {
  readonly address: string
  /** EIP-191 personal sign. @returns 0x and hex characters */
  signMessage(parameters: { message: string }): Promise<string>
}

/** What became of a session, for metrics; `refused`: none was given, or a request with one was answered with 401. */
export interface SessionEvent {
  readonly event: 'opened' | 'renewed' | 'refused'
}

/** What may be shown of a session: everything but its token. */
export type SessionFacts = Readonly<Pick<Session, 'address' | 'roles' | 'expiresAt'>>

/** Who signs in where and for what; `origin` and `chainId` are what a challenge may state of itself. */
export interface SessionKeeperOptions {
  readonly auth: AuthRoutes
  readonly origin: URL
  readonly signer: ChallengeSigner
  readonly chainId: number
  readonly challengeDomains?: readonly string[]
  /** Without it a session is of no use. */
  readonly role: WalletRole
  /** By what challenges and the ends of sessions are judged; null where the service has stated none. */
  readonly time: () => StatedTime | null
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /**
   * Asked where the service refuses the wallet for its role: whether the stake contract lists it with the role, null where
   * that could not be read. Only where it does not is the wallet stated to lack it. @default it does not
   */
  readonly confirmRole?: (() => Promise<boolean | null>) | undefined
  /** Called once, when the wallet lacks the role. */
  readonly onRoleMissing?: (error: AttestdError) => void
  readonly onSession?: (event: SessionEvent) => void
}

interface Held extends SessionTerms, SessionFacts {
  readonly token: string
}

/** A session that is refused sooner than this counts as never accepted, milliseconds. */
const STABLE_MS = 10_000
/** Pauses after a failure that passes by itself, and after a refusal. */
const PASSING_BACKOFF: Backoff = { baseMs: 500, maxMs: 5_000 }
const REFUSED_BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60_000 }
const PASSING: ReadonlySet<Reason> = new Set<Reason>([
  'service-unreachable',
  'service-timeout',
  'service-connection-lost',
  'service-failing',
  'wallet-unreachable',
])

/**
 * Holds the one session of a wallet at a service. The token stands nowhere else. It is opened when it is first needed, renewed
 * before it ends, and opened again after a 401, once for all callers; after failures and refusals only at growing intervals.
 */
export class SessionKeeper {
  readonly #options: SessionKeeperOptions
  readonly #stop = new AbortController()
  #held: Held | null = null
  readonly #opening = new SharedReading<Held>()
  /** Until when nothing is asked, monotonic milliseconds, and what to state meanwhile. */
  #pause: { readonly until: number; readonly error: AttestdError } | null = null
  #failures = 0
  /** Sessions in a row that were refused as soon as they were used. */
  #rejected = 0
  #hasOpened = false
  #hasReportedRole = false

  constructor(options: SessionKeeperOptions) {
    this.#options = options
  }

  /**
   * A token that can be sent now.
   * @throws AttestdError service-*, role-missing, challenge-untrusted or wallet-*, never
   * ambiguous, with the time to wait for where the keeper pauses
   */
  async token(signal?: AbortSignal): Promise<string> {
    return (await this.#usable(signal)).token
  }

  /** The session, opened where there is none. @throws as `token` does */
  async facts(signal?: AbortSignal): Promise<SessionFacts> {
    const { address, roles, expiresAt } = await this.#usable(signal)
    return { address, roles, expiresAt }
  }

  /** A request with this token was answered with 401. Of callers that report it of the same token, the first counts. */
  drop(token: string): void {
    const held = this.#held
    if (held === null || held.token !== token) return
    this.#held = null
    const isFresh = !this.#isStable(held)
    this.#rejected = isFresh ? this.#rejected + 1 : 0
    const error = walletError('service-unauthorized', 'The service refuses the sessions that it has just issued.')
    // The first may be the service's restart; from the second on it is asked at intervals.
    if (this.#rejected > 1) this.#pauseFor(error, this.#rejected - 1)
    this.#options.log.info({ inARow: this.#rejected }, 'the service refused the session')
    this.#options.onSession?.({ event: 'refused' })
  }

  close(): void {
    this.#stop.abort(new AttestdError('draining', 'The service client was closed.'))
    this.#held = null
  }

  async #usable(signal?: AbortSignal): Promise<Held> {
    signal?.throwIfAborted()
    this.#stop.signal.throwIfAborted()
    const now = this.#options.clock.monotonic()
    const held = this.#held
    if (held === null || now >= held.endsAt) return this.#open(signal)
    // Behind the caller's back: the session in hand is good for a while, and a failure is logged where it happens.
    if (now >= held.renewAt) this.#open().catch(() => {})
    return held
  }

  /** The session under way, or a new one; throws what the last one ended with where a pause is due. */
  async #open(signal?: AbortSignal): Promise<Held> {
    const left = (this.#pause?.until ?? 0) - this.#options.clock.monotonic()
    if (!this.#opening.isShared && this.#pause && left > 0) throw paused(this.#pause.error, left)
    return this.#opening.share(() => this.#negotiated(), signal)
  }

  async #negotiated(): Promise<Held> {
    const before = this.#held
    try {
      const held = await this.#negotiate()
      if (before && this.#isStable(before)) this.#rejected = 0
      this.#failures = 0
      this.#pause = null
      this.#held = held
      const event = this.#hasOpened ? 'renewed' : 'opened'
      this.#hasOpened = true
      this.#options.log.debug({ roles: held.roles, expiresAt: held.expiresAt }, `session was ${event}`)
      this.#options.onSession?.({ event })
      return held
    } catch (error) {
      if (this.#stop.signal.aborted) throw error
      throw this.#failed(await this.#confirmed(toAttestdError(error)))
    }
  }

  async #negotiate(): Promise<Held> {
    const { auth, chainId, challengeDomains, clock, origin, signer, time } = this.#options
    const { signal } = this.#stop
    const challenge = await auth.challenge(signer.address, signal)
    checkChallenge(challenge, { origin, domains: challengeDomains, address: signer.address, chainId, time: time() })
    const signature = await unlessAborted(signer.signMessage({ message: challenge.message }), signal)
    const askedAt = clock.monotonic()
    const session = await auth.session({ nonce: challenge.nonce, signature }, signal)
    this.#check(session)
    const { token, address, roles, expiresAt } = session
    return { token, address, roles, expiresAt, ...termsOf(session, askedAt, time()?.ms ?? clock.now()) }
  }

  #check({ address, roles }: Session): void {
    const { role, signer } = this.#options
    if (address.toLowerCase() !== signer.address.toLowerCase()) {
      throw new AttestdError('service-reply-invalid', 'The service returned a session of another wallet.')
    }
    if (roles.includes(role)) return
    throw new AttestdError(
      'role-missing',
      `The wallet ${signer.address} does not have the role ${role} on this service.`,
    )
  }

  /** A role that the contract has, or may have, is not missing: the service is asked again, like after any refusal. */
  async #confirmed(failure: AttestdError): Promise<AttestdError> {
    const { confirmRole } = this.#options
    if (failure.reason !== 'role-missing' || !confirmRole) return failure
    const hasRole = await unlessAborted(confirmRole(), this.#stop.signal)
    if (hasRole === false) return failure
    const contract = hasRole ? 'lists the wallet with its role' : 'could not be read'
    const message = `${failure.message} The stake contract ${contract}, so the service is asked again.`
    return walletError('service-forbidden', message, { cause: failure, facts: failure.facts })
  }

  #failed(failure: AttestdError): AttestdError {
    const { log, onRoleMissing, onSession } = this.#options
    const { reason } = failure
    this.#failures += 1
    const retryInMs = this.#pauseFor(failure, this.#failures)
    log.warn({ reason, err: failure, retryInMs }, 'a session could not be opened')
    onSession?.({ event: 'refused' })
    if (reason !== 'role-missing') return failure
    this.#held = null
    if (!this.#hasReportedRole) onRoleMissing?.(failure)
    this.#hasReportedRole = true
    return failure
  }

  /** @returns the pause, milliseconds */
  #pauseFor(error: AttestdError, attempt: number): number {
    const { clock, random } = this.#options
    const backoff = PASSING.has(error.reason) ? PASSING_BACKOFF : REFUSED_BACKOFF
    // A missing role ends the process, which may still be starting: nothing asks again meanwhile.
    const ownMs = error.reason === 'role-missing' ? backoff.maxMs : backoffMs(attempt, backoff, random)
    const pauseMs = honoredDelayMs(error.retryAfterMs, ownMs)
    this.#pause = { until: clock.monotonic() + pauseMs, error }
    return pauseMs
  }

  #isStable({ endsAt, openedAt }: Held): boolean {
    const now = this.#options.clock.monotonic()
    return now >= endsAt || now - openedAt >= STABLE_MS
  }
}

const paused = ({ reason, message, facts, cause }: AttestdError, leftMs: number): AttestdError =>
  walletError(reason, message, { cause, facts, retryAfterMs: Math.ceil(leftMs) })

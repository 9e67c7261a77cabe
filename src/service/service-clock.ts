import type { Clock, StatedTime } from '../core/clock.js'
import { AttestdError, errorText } from '../core/errors.js'
import type { Log } from '../core/log.js'
import type { Reason } from '../core/reasons.js'
import { SharedReading } from '../core/shared-reading.js'
import { createThrottledLog, type ThrottledLog } from '../observe/throttled-log.js'
import {
  betterSample,
  boundNow,
  type ClockSample,
  STEP_MS,
  serviceTimeAt,
  stepSince,
  takeSample,
} from './clock-estimate.js'

/** What the gate and readiness need to know of service time. */
export interface ClockState {
  /** Service time minus local time, milliseconds; null before the first sample. */
  readonly offsetMs: number | null
  /** Half the round trip of the best sample plus drift since, milliseconds: the truth lies within. */
  readonly errorBoundMs: number | null
  /** Whether a signature made now is inside the service's window, and the Date of its answers does not contradict it. */
  readonly trusted: boolean
  /** How service time contradicts the Date of the service's answers, where it does. */
  readonly objection?: string | undefined
  /** Why it could not be read, as the request failed; absent once it was. */
  readonly failure?: AttestdError | undefined
}

/** Service time as it was estimated at one moment, kept with a signature to judge it afterwards. */
export type ClockStamp = Pick<ClockSample, 'serviceMs' | 'monotonicMs'>

/** Service time as far as the service stated it, else local time: for deadlines and people, not for signatures. Unix ms, whole. */
export const statedOrLocal = (service: Pick<ServiceClock, 'stated'> | undefined, local: Pick<Clock, 'now'>): number =>
  Math.round(service?.stated()?.ms ?? local.now())

/** Where service time is read: GET /api/v1/time, or for the wallet-session API the latest block of the chain. */
export interface ServiceClockOptions {
  /** Reads service time once, Unix milliseconds (GET /api/v1/time). Has its own timeout. */
  readonly readTime: (signal?: AbortSignal) => Promise<number>
  readonly clock: Clock
  readonly log: Log
  /** How far a timestamp may be from service time, milliseconds. */
  readonly windowMs: number
  /**
   * Steps in which `readTime` moves, milliseconds: the time of a block stands for all until the next. The estimate lies
   * in the middle of a step, and half of one is added to its error bound. @default 0
   */
  readonly granularityMs?: number
  /** Age at which an estimate is renewed, milliseconds. */
  readonly refreshMs: number
  /** How far a Date that `sawDate` reports may be from service time, milliseconds; further apart neither is trusted. @default any */
  readonly dateWithinMs?: number | undefined
}

/** Samples of a refresh; the smallest round trip wins. The first also pays for opening the connection. */
export const SAMPLES = 5
/** The share of the window that the error bound may use; the rest is for the request's own way to the service. */
const TRUSTED_SHARE = 0.5
const DATE = 'the Date header of the service'
/** How often `run` looks whether samples are due, milliseconds. */
export const CHECK_MS = 5_000

/**
 * What a service that is away is called, or one that is another site, and a session that does not open where the time
 * route needs one; other failures of the time route state nothing about the request to be signed.
 */
const AWAY: ReadonlySet<Reason> = new Set<Reason>([
  'service-unreachable',
  'service-timeout',
  'service-connection-lost',
  'service-rate-limited',
  'service-failing',
  'service-redirected',
  'service-reply-invalid',
  'service-unauthorized',
  'role-missing',
  'challenge-untrusted',
  'wallet-unreachable',
  'wallet-rate-limited',
  'wallet-refused',
  'signature-wrong',
])

/** Service time, by the time route and carried on by the monotonic clock: a wrong local clock does not matter. */
export class ServiceClock {
  readonly #options: ServiceClockOptions
  #sample: ClockSample | null = null
  /** The last Date of an answer; its bound is not used. */
  #date: ClockSample | null = null
  #contradicted = false
  #failure: AttestdError | null = null
  /** Monotonic time of the last refresh that succeeded and of the last that was tried. */
  #refreshedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  readonly #refreshing = new SharedReading<void>()
  readonly #outages: ThrottledLog

  constructor(options: ServiceClockOptions) {
    this.#options = options
    this.#outages = createThrottledLog(options)
  }

  state(): ClockState {
    const { clock, windowMs } = this.#options
    if (!this.#sample) {
      const failure = this.#failure ? { failure: this.#failure } : {}
      return { offsetMs: null, errorBoundMs: null, trusted: false, ...failure }
    }
    const errorBoundMs = boundNow(this.#sample, clock)
    const offsetMs = serviceTimeAt(this.#sample, clock.monotonic()) - clock.now()
    const objection = this.#objection()
    return {
      offsetMs: Math.round(offsetMs),
      errorBoundMs: Math.ceil(errorBoundMs),
      trusted: objection === undefined && errorBoundMs <= windowMs * TRUSTED_SHARE,
      objection,
    }
  }

  sawDate(serviceMs: number): void {
    const { clock } = this.#options
    const monotonicMs = clock.monotonic()
    this.#date = { serviceMs, monotonicMs, wallMinusMonotonic: clock.now() - monotonicMs, boundMs: 0 }
  }

  /**
   * The time by which blocks and challenges are judged: by the Date of the service's answers, else as estimated; null where
   * the service has stated neither since the last clock step or suspend.
   */
  stated(): StatedTime | null {
    const monotonicMs = this.#options.clock.monotonic()
    if (this.#isCurrent(this.#date)) return { ms: serviceTimeAt(this.#date, monotonicMs), by: DATE }
    return this.#isCurrent(this.#sample) ? { ms: serviceTimeAt(this.#sample, monotonicMs), by: 'service time' } : null
  }

  /** Service time now, Unix milliseconds, whole. @throws AttestdError clock-untrusted before the first sample */
  now(): number {
    return this.stamp().serviceMs
  }

  /** Service time now together with the moment, for `errorOf`. @throws AttestdError clock-untrusted before the first sample */
  stamp(): ClockStamp {
    const monotonicMs = this.#options.clock.monotonic()
    if (!this.#sample) throw new AttestdError('clock-untrusted')
    return { serviceMs: Math.round(serviceTimeAt(this.#sample, monotonicMs)), monotonicMs }
  }

  /** How far a stamp was from service time as it is known now, milliseconds. */
  errorOf(stamp: ClockStamp): number {
    return this.#sample ? Math.abs(serviceTimeAt(this.#sample, stamp.monotonicMs) - stamp.serviceMs) : 0
  }

  /**
   * Resolves when service time is trusted, at once where it is; an estimate that is only due gets renewed behind the
   * caller's back.
   * @throws what keeps the service from being asked (`AWAY`), else clock-untrusted; never ambiguous,
   * because nothing was signed or sent yet
   */
  async ready(signal?: AbortSignal): Promise<void> {
    if (this.state().trusted) return this.#renewIfDue()
    await this.refresh({ signal })
    if (!this.state().trusted) throw new AttestdError('clock-untrusted', this.#untrustedText())
  }

  /** Takes new samples; simultaneous callers share them. @param options.maxAgeMs none where the last are as fresh */
  async refresh(options: { maxAgeMs?: number; signal?: AbortSignal | undefined } = {}): Promise<void> {
    const age = this.#options.clock.monotonic() - this.#refreshedAt
    if (options.maxAgeMs !== undefined && age <= options.maxAgeMs) return
    await this.#refreshing.share(() => this.#takeSamples(), options.signal)
  }

  /** Keeps the estimate fresh until the signal aborts. Never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#renewIfDue()
      await this.#options.clock.sleep(CHECK_MS, signal).catch(() => {})
    }
  }

  #isCurrent(sample: ClockSample | null): sample is ClockSample {
    return sample !== null && stepSince(sample, this.#options.clock) <= STEP_MS
  }

  #objection(): string | undefined {
    const { clock, dateWithinMs = Number.POSITIVE_INFINITY } = this.#options
    if (!this.#isCurrent(this.#date) || !this.#isCurrent(this.#sample)) return undefined
    const monotonicMs = clock.monotonic()
    const aheadMs = serviceTimeAt(this.#sample, monotonicMs) - serviceTimeAt(this.#date, monotonicMs)
    if (Math.abs(aheadMs) <= dateWithinMs) return undefined
    return `service time is ${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} ${DATE}`
  }

  #renewIfDue(): void {
    const { clock, refreshMs, log } = this.#options
    const now = clock.monotonic()
    const stepped = this.#sample !== null && !this.#isCurrent(this.#sample)
    const due = stepped || now - this.#refreshedAt >= refreshMs
    if (!due || this.#refreshing.isShared || now - this.#triedAt < CHECK_MS) return
    if (stepped) log.info({ stepMs: Math.round(stepSince(this.#sample!, clock)) }, 'local clock step was noticed')
    // The failure is logged where it happens; the estimate in hand goes on, with its growing bound.
    this.refresh().catch(() => {})
  }

  async #takeSamples(): Promise<void> {
    const { clock, log, windowMs } = this.#options
    this.#triedAt = clock.monotonic()
    const before = this.state().offsetMs
    const best = await this.#bestOfSeveral()
    this.#sample = betterSample(this.#sample, best, clock)
    this.#refreshedAt = clock.monotonic()
    const state = this.state()
    log.debug({ ...state }, 'service time was estimated')
    if (before === null && Math.abs(state.offsetMs ?? 0) > windowMs) {
      log.warn(
        { offsetMs: state.offsetMs },
        'local clock was outside the timestamp window; service time was used for signing',
      )
    }
    this.#reportContradiction(state)
  }

  /** Once when it begins, and once when it has ended. */
  #reportContradiction({ objection: detail }: ClockState): void {
    const { log } = this.#options
    const contradicted = detail !== undefined
    if (contradicted && !this.#contradicted) {
      log.warn({ reason: 'clock-untrusted', detail }, 'service contradicted its own time; submission was paused')
    }
    if (!contradicted && this.#contradicted) log.info({}, 'service agreed with its own time again')
    this.#contradicted = contradicted
  }

  async #bestOfSeveral(): Promise<ClockSample> {
    const { clock, granularityMs = 0, readTime } = this.#options
    let best: ClockSample | null = null
    for (let taken = 0; taken < SAMPLES; taken++) {
      try {
        const sample = await takeSample(clock, () => readTime(), granularityMs)
        if (!best || sample.boundMs < best.boundMs) best = sample
      } catch (error) {
        // One answer is enough to go on with, and a service that fails should not be asked four times more.
        if (best) break
        const unread = unreadError(error)
        this.#failure = error instanceof AttestdError ? error : unread
        this.#outages.trouble({
          reason: unread.reason,
          message: 'service time could not be read',
          facts: { err: error },
        })
        throw unread
      }
    }
    return best!
  }

  #untrustedText(): string {
    const { errorBoundMs, objection } = this.state()
    if (objection !== undefined) return `The service contradicts itself: ${objection}.`
    const { windowMs } = this.#options
    return `Service time is known only to ${errorBoundMs} ms, too coarse for the window of ${windowMs} ms.`
  }
}

function unreadError(cause: unknown): AttestdError {
  const unread = 'Service time could not be read'
  if (!(cause instanceof AttestdError))
    return new AttestdError('clock-untrusted', `${unread}: ${errorText(cause)}`, { cause })
  const { facts, fix, message, reason, retryAfterMs } = cause
  const rest = { cause, facts, fix, retryAfterMs }
  return new AttestdError(AWAY.has(reason) ? reason : 'clock-untrusted', `${unread}: ${message}`, rest)
}

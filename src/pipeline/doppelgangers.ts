import type { Clock } from '../core/clock.js'
import type { Log } from '../core/log.js'
import type { ServiceClock } from '../service/service-clock.js'
import type { Gate } from './gate.js'

/** What tells a score of another daemon from one that this queue sent and forgot. */
export interface DoppelgangerOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly serviceClock: Pick<ServiceClock, 'now' | 'state'>
  /** How long after it was signed a score may still come on record, by a clock without error, ms. */
  readonly settleMs: number
  /** `stop` closes the gate until this daemon is started again. */
  readonly policy: 'warn' | 'stop'
  readonly gate: Pick<Gate, 'close'>
  readonly log: Log
  /** Called for each such score; for metrics. */
  readonly onFound: () => void
}

/** What was found since the start, for console and readiness. */
export interface DoppelgangerFindings {
  readonly scores: number
  /** Asset of the last one; null where there is none. */
  readonly lastAsset: string | null
}

/**
 * Scores of this attester that no daemon on this queue sent: somebody else uses its key or wallet. A queue that is new,
 * or may have lost records, knows nothing of what it sent before, and that may still come on record for a while. Only a
 * score that the service did not have after that time is surely another's.
 */
export class Doppelgangers {
  readonly #options: DoppelgangerOptions
  /** Since when every attempt of this queue is known, monotonic ms. */
  #knownSince: number
  #findings: DoppelgangerFindings = { scores: 0, lastAsset: null }

  constructor(options: DoppelgangerOptions) {
    this.#options = options
    this.#knownSince = options.clock.monotonic()
  }

  get findings(): DoppelgangerFindings {
    return this.#findings
  }

  /** The queue may have lost records of attempts. */
  forget(): void {
    this.#knownSince = this.#options.clock.monotonic()
  }

  /**
   * Whether a score that this queue has no attempt of is surely another's.
   * @param unscoredAt service time (Unix ms) at which the service had none; null where that is not known
   */
  isForeign(unscoredAt: number | null): boolean {
    const { clock, serviceClock, settleMs } = this.#options
    const knownForMs = clock.monotonic() - this.#knownSince
    const settledInMs = settleMs + (serviceClock.state().errorBoundMs ?? 0)
    return unscoredAt !== null && unscoredAt >= serviceClock.now() - knownForMs + settledInMs
  }

  /** Raises the alarm. */
  found(asset: string): void {
    const { gate, log, onFound, policy } = this.#options
    this.#findings = { scores: this.#findings.scores + 1, lastAsset: asset }
    onFound()
    if (policy === 'stop') gate.close('doppelganger')
    log.error({ reason: 'doppelganger', asset, policy }, 'our key was used elsewhere')
  }
}

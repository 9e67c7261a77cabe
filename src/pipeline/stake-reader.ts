import type { Clock } from '../core/clock.js'
import { AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { honoredDelayMs } from '../core/retry.js'
import { SharedReading } from '../core/shared-reading.js'
import type { AttesterService, Stake } from '../service/port.js'
import type { Gate, StakeRefusal } from './gate.js'

/** `confirm` reads the stake from the service's list; every reading is reported to the gate. */
export interface StakeReaderOptions {
  readonly service: Pick<AttesterService, 'listOpen'>
  readonly gate: Gate
  /** Reads the stake contract now, where the service states nothing about the stake; the reading comes by `readInContract`. */
  readonly readContract?: ((signal: AbortSignal) => Promise<unknown>) | undefined
  readonly clock: Clock
  readonly log: Log
  /** Called with every stake that was read; for metrics. */
  readonly onStake: (stake: Stake) => void
  /** Called when the service refuses the key; for metrics. */
  readonly onRefused: () => void
}

/** A reading answers every question that comes within this time, ms, so that many refused jobs ask once. */
const SHARED_MS = 2000

/** Reports to the gate what the service states of the stake, by its numbers or by refusing the key with a 403. */
export class StakeReader {
  readonly #options: StakeReaderOptions
  readonly #confirmed: SharedReading<boolean | null>

  constructor(options: StakeReaderOptions) {
    this.#options = options
    this.#confirmed = new SharedReading({ clock: options.clock, keptMs: SHARED_MS })
  }

  /** What the service stated of the stake on the way; null: it let the key in and stated nothing about the stake. */
  seen(stake: Stake | null): void {
    if (stake) this.#update(stake, 'service')
    else this.#options.gate.letIn()
  }

  /** What the stake contract holds, for a service that states nothing about the stake. */
  readInContract(stake: Stake, hasRole: boolean): void {
    const { gate, log } = this.#options
    this.#update(stake, 'contract')
    if (!gate.updateRole(hasRole)) return
    if (hasRole) log.info({}, 'the stake contract listed the wallet as an attester again')
    else
      log.warn(
        { reason: 'role-missing' },
        'the stake contract did not list the wallet as an attester; submission was paused',
      )
  }

  #update(stake: Stake, from: 'service' | 'contract'): void {
    const { gate, log, onStake } = this.#options
    onStake(stake)
    if (!gate.updateStake(stake, from)) return
    const facts = { stakedWei: String(stake.stakedWei), minStakeWei: String(stake.minStakeWei) }
    if (gate.stakeOk) log.info(facts, 'stake met the minimum; submission was allowed')
    else log.warn({ ...facts, reason: 'stake-low' }, 'stake was below the minimum; submission was paused')
  }

  /** The service refused the credentials (401), or (403) a route that it keeps open to every key with enough stake. */
  refused(failure: AttestdError): void {
    const { gate, log, onRefused } = this.#options
    if (failure.reason === 'service-unauthorized') {
      gate.refuseKey()
      return
    }
    const detail = failure.message
    if (gate.refuse(refusalOf(failure))) {
      log.warn({ reason: gate.shutOut, detail }, 'the service refused this key; submission was paused')
    }
    onRefused()
  }

  /** Asks the service now, and the stake contract where the service states nothing about the stake. @returns whether the key is let in; null where that could not be found out */
  confirm(signal: AbortSignal): Promise<boolean | null> {
    return this.#confirmed.share(() =>
      this.#read(signal).then(
        async () => ((await this.#isKnown(signal)) ? this.#options.gate.stakeOk : null),
        (failure: AttestdError) => (failure.reason === 'service-forbidden' ? false : null),
      ),
    )
  }

  /** Whether the gate knows the stake of now. */
  async #isKnown(signal: AbortSignal): Promise<boolean> {
    const { gate, log, onRefused, readContract } = this.#options
    try {
      await readContract?.(signal)
      return gate.stake !== null
    } catch (error) {
      if (signal.aborted) return false
      const { reason, message } = toAttestdError(error)
      const facts = { reason, detail: message }
      if (gate.doubtStake())
        log.warn(facts, 'the service refused a score and the stake was unknown; submission was paused')
      onRefused()
      return false
    }
  }

  /** Reads the stake regularly, for a process that submits but takes nothing in (intake reads it on the way). */
  async watch(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    while (!signal.aborted) {
      let pauseMs = everyMs
      try {
        await this.#read(signal)
      } catch (error) {
        if (signal.aborted) return
        const { reason, retryAfterMs } = toAttestdError(error)
        pauseMs = honoredDelayMs(retryAfterMs, everyMs)
        log.warn({ reason, retryInMs: pauseMs }, 'reading the stake failed')
      }
      await clock.sleep(pauseMs, signal).catch(() => {})
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const { stake } = await this.#options.service.listOpen({ includeMyScore: false }, signal)
      this.seen(stake)
    } catch (error) {
      const failure = toAttestdError(error)
      if (isRefusal(failure)) this.refused(failure)
      throw failure
    }
  }
}

export const isRefusal = ({ reason }: AttestdError): boolean =>
  reason === 'service-forbidden' || reason === 'service-unauthorized'

/** How a service words its stake gate is not shown: a 403 that speaks of the stake is taken for it. */
function refusalOf(failure: AttestdError): StakeRefusal {
  // Its own words alone: what a client adds to them may speak of the stake contract.
  const { message } = failure.cause instanceof AttestdError ? failure.cause : failure
  return /\bstaked?\b/i.test(message) ? 'stake-low' : 'service-forbidden'
}

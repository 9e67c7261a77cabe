import type { Address } from 'viem'
import type { Clock, Random } from '../core/clock.js'
import { type AttestdError, toAttestdError } from '../core/errors.js'
import type { Log } from '../core/log.js'
import { backoffMs, honoredDelayMs } from '../core/retry.js'
import { SharedReading } from '../core/shared-reading.js'
import { createThrottledLog, type ThrottledLog } from '../observe/throttled-log.js'
import type { StakeContract, StakeReading } from './stake-contract.js'

export interface StakeWatchOptions {
  readonly contract: Pick<StakeContract, 'read'>
  readonly account: Address
  /** Time between readings, ms. */
  readonly everyMs: number
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly onReading: (reading: StakeReading) => void
  /** Called with every failure of a reading; for metrics. */
  readonly onTrouble?: (error: AttestdError) => void
}

export interface LatestReading {
  readonly reading: StakeReading
  /** By the monotonic clock, ms. */
  readonly atMs: number
}

/** Wait before the second try after a failure, ms; grows to a minute, or to the time between readings if that is longer. */
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

/** Reads stake and roles again and again. A failure takes nothing back: the last reading holds until there is another. */
export class StakeWatch {
  readonly #options: StakeWatchOptions
  readonly #troubles: ThrottledLog
  #latest: LatestReading | null = null
  readonly #reading = new SharedReading<StakeReading>()
  #failures = 0

  constructor(options: StakeWatchOptions) {
    this.#options = options
    this.#troubles = createThrottledLog(options)
  }

  get latest(): LatestReading | null {
    return this.#latest
  }

  /** Reads until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, random } = this.#options
    while (!signal.aborted) {
      let pauseMs = everyMs
      try {
        // The watch's signal ends the reading; that of a caller below must not end what others wait for.
        await this.#reading.share(() => this.#read(signal), signal)
      } catch (error) {
        if (signal.aborted) return
        const backoff = { baseMs: Math.min(everyMs, FIRST_RETRY_MS), maxMs: Math.max(everyMs, LONGEST_RETRY_MS) }
        const ownMs = backoffMs(Math.max(1, this.#failures), backoff, random)
        pauseMs = honoredDelayMs(toAttestdError(error).retryAfterMs, ownMs)
      }
      await clock.sleep(pauseMs, signal).catch(() => {})
    }
  }

  /** Reads now; callers at the same time share it. @throws rpc-*, stake-contract-unreadable, or the signal's reason */
  refresh(signal?: AbortSignal): Promise<StakeReading> {
    return this.#reading.share(() => this.#read(), signal)
  }

  async #read(end?: AbortSignal): Promise<StakeReading> {
    const { contract, account, clock, onReading, onTrouble } = this.#options
    try {
      const reading = await contract.read(account, end)
      this.#note(reading)
      this.#latest = { reading, atMs: clock.monotonic() }
      onReading(reading)
      return reading
    } catch (error) {
      if (end?.aborted) throw error
      const failure = toAttestdError(error)
      this.#failures += 1
      const { reason, message } = failure
      this.#troubles.trouble({ reason, message: 'reading the stake contract failed', facts: { detail: message } })
      onTrouble?.(failure)
      throw failure
    }
  }

  #note(reading: StakeReading): void {
    const { log } = this.#options
    if (this.#failures > 0) log.info({ failures: this.#failures }, 'the stake contract was read again')
    this.#failures = 0
    const facts = factsOf(reading)
    const before = this.#latest === null ? null : factsOf(this.#latest.reading)
    if (before === null) log.info(facts, 'stake and roles were read from the stake contract')
    else if (JSON.stringify(before) !== JSON.stringify(facts)) {
      log.info({ ...facts, block: String(reading.blockNumber), before }, 'stake or roles changed in the stake contract')
    }
  }
}

function factsOf({ stakedWei, minStakeWei, roles }: StakeReading) {
  return { stakedWei: String(stakedWei), minStakeWei: String(minStakeWei), ...roles }
}

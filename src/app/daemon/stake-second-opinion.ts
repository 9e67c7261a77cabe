import type { StakeReading } from '../../chain/stake-contract.js'
import type { Metrics } from '../../observe/metrics/metrics.js'
import type { ThrottledLog } from '../../observe/throttled-log.js'
import type { Stake } from '../../service/port.js'

/** Where a disagreement goes: each is counted, the log has one line a minute. */
export interface SecondOpinionOptions {
  readonly metrics: Pick<Metrics, 'stakeDisagreements'>
  readonly outages: ThrottledLog
}

/**
 * Compares what a signed-key service states of the stake with what the stake contract holds. It only reports: the
 * service's word stays the one that opens and closes the gate, since it is the service that takes the scores.
 * A word of the service is judged where it came between two equal readings, so that a stake that just changed, and is
 * seen sooner by one side than by the other, is no disagreement.
 */
export class StakeSecondOpinion {
  readonly #options: SecondOpinionOptions
  #before: StakeReading | null = null
  /** The service's last word since that reading. */
  #reported: Stake | null = null

  constructor(options: SecondOpinionOptions) {
    this.#options = options
  }

  reported(stake: Stake): void {
    this.#reported = stake
  }

  read(reading: StakeReading): void {
    const reported = this.#reported
    const steady = this.#before !== null && isSame(this.#before, reading)
    this.#before = reading
    this.#reported = null
    if (!reported || !steady || isSame(reported, reading)) return
    this.#options.metrics.stakeDisagreements.inc({})
    this.#options.outages.trouble({
      reason: 'stake-disagreement',
      message: 'the stake contract reported a different stake than the service',
      facts: {
        reportedWei: String(reported.stakedWei),
        reportedMinWei: String(reported.minStakeWei),
        onChainWei: String(reading.stakedWei),
        onChainMinWei: String(reading.minStakeWei),
        block: String(reading.blockNumber),
      },
    })
  }
}

const isSame = (one: Stake, other: Stake) => one.stakedWei === other.stakedWei && one.minStakeWei === other.minStakeWei

import { clockText } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import type { Stake } from '../../service/port.js'
import type { ServiceClock } from '../../service/service-clock.js'

/** What doctor reports of service time, once it is known. @throws where it cannot be read */
export async function serviceTimeText(clock: ServiceClock): Promise<string> {
  await clock.ready()
  const { errorBoundMs, offsetMs } = clock.state()
  return `service time is known; ${clockText(offsetMs ?? 0)}, ± ${errorBoundMs} ms (corrected)`
}

/** What doctor reports of a stake. @throws AttestdError stake-low */
export function stakeText({ minStakeWei, stakedWei }: Stake): string {
  if (stakedWei >= minStakeWei) return `staked ${stakedWei} wei of at least ${minStakeWei}`
  throw new AttestdError('stake-low', `Staked ${stakedWei} wei of at least ${minStakeWei}.`)
}

import { clockText } from '../../core/clock.js'
import { AttestdError } from '../../core/errors.js'
import { etherOf } from '../../core/ether.js'
import { clockTrouble } from '../../service/clock-trouble.js'
import type { Stake } from '../../service/port.js'
import type { ServiceClock } from '../../service/service-clock.js'

/**
 * What doctor reports of service time, once it is known.
 * @param windowMs how far a timestamp may be from service time, ms
 * @throws where it cannot be read, or AttestdError clock-off
 */
export async function serviceTimeText(clock: ServiceClock, windowMs: number): Promise<string> {
  await clock.ready()
  const state = clock.state()
  const compared = clockText(state.offsetMs ?? 0)
  const reason = clockTrouble(state, windowMs)
  if (reason) throw new AttestdError(reason, `Service time is known; ${compared}.`)
  return `service time is known; ${compared}, ± ${state.errorBoundMs} ms (corrected)`
}

/** What doctor reports of a stake. @throws AttestdError stake-low */
export function stakeText({ minStakeWei, stakedWei }: Stake): string {
  const amount = `${etherOf(stakedWei)} ether of at least ${etherOf(minStakeWei)}`
  if (stakedWei >= minStakeWei) return `staked ${amount}`
  throw new AttestdError('stake-low', `Staked ${amount}.`)
}

import { describe, expect, it } from 'vitest'
import { silentLog } from '../../src/core/log.js'
import { recordTime } from '../../src/service/record-time.js'
import { ServiceClock } from '../../src/service/service-clock.js'
import { ManualClock } from '../support/manual-clock.js'

const DAY_MS = 24 * 60 * 60_000
const { signal } = new AbortController()

/** @param aheadMs service time less local time; null where the service does not answer */
function serviceOf(clock: ManualClock, aheadMs: number | null): ServiceClock {
  const readTime = async () => {
    if (aheadMs === null) throw new Error('away')
    return clock.now() + aheadMs
  }
  return new ServiceClock({ readTime, clock, log: silentLog, windowMs: 30_000, refreshMs: 300_000 })
}

describe('the age of records is judged', () => {
  it('by service time where the local clock is ahead of it, so that nothing expires too soon', async () => {
    const clock = new ManualClock()
    expect(await recordTime(clock, serviceOf(clock, -100 * DAY_MS), signal)).toBe(clock.now() - 100 * DAY_MS)
  })

  it('by the local clock where that is behind, and in a process without a service', async () => {
    const clock = new ManualClock()
    expect(await recordTime(clock, serviceOf(clock, 100 * DAY_MS), signal)).toBe(clock.now())
    expect(await recordTime(clock, null, signal)).toBe(clock.now())
  })

  it('by nothing while the service does not state its time, so that no record is removed', async () => {
    const clock = new ManualClock()
    expect(await recordTime(clock, serviceOf(clock, null), signal)).toBeNull()
  })
})

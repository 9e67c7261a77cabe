import { expect, it } from 'vitest'
import { ServiceTime } from '../../src/sandbox/service-time.js'
import { ManualClock } from '../support/manual-clock.js'

it('service time is ahead of local time, or behind, in whole milliseconds', () => {
  const clock = new ManualClock(1000)
  const time = new ServiceTime(clock, 500)
  expect([time.now(), time.offsetMs]).toEqual([1500, 500])
  time.offsetMs = -250.4
  clock.tick(10)
  expect(time.now()).toBe(760)
})

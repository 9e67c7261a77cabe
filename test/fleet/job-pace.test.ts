import { expect, it } from 'vitest'
import { JobPace } from '../../src/fleet/job-pace.js'

it('states the jobs of the last minute a second, and what it could do, which idle time does not lower', () => {
  let now = 0
  const pace = new JobPace(() => now)
  expect([pace.perSecond(), pace.capacity(2)]).toEqual([0, null])
  for (let nth = 0; nth < 20; nth++) {
    now += 500
    pace.ended(400)
  }
  expect([pace.perSecond(), pace.capacity(2)]).toEqual([2, 5])
  now += 50_000
  expect(pace.perSecond()).toBeCloseTo(20 / 60)
  now += 60_000
  expect([pace.perSecond(), pace.capacity(2)]).toEqual([0, 5])
})

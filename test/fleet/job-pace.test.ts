import { describe, expect, it } from 'vitest'
import { JobPace } from '../../src/fleet/job-pace.js'

it('reports the jobs per second of the last minute, and a capacity that idle time does not lower', () => {
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

describe('the pace of jobs', () => {
  function newPace() {
    const clock = { now: 0 }
    return { clock, pace: new JobPace(() => clock.now) }
  }

  it('counts at least a whole second right after the start', () => {
    const { clock, pace } = newPace()
    clock.now = 10
    for (let nth = 0; nth < 5; nth++) pace.ended(1)
    expect(pace.perSecond()).toBe(5)
    clock.now = 2000
    expect(pace.perSecond()).toBe(2.5)
  })

  it('counts a job of exactly a minute ago, and none older', () => {
    const { clock, pace } = newPace()
    clock.now = 100_000
    pace.ended(1)
    clock.now += 60_000
    expect(pace.perSecond()).toBeCloseTo(1 / 60, 12)
    clock.now += 1
    expect(pace.perSecond()).toBe(0)
  })

  it('estimates the capacity by the last hundred jobs', () => {
    const { pace } = newPace()
    for (let nth = 0; nth < 300; nth++) pace.ended(10_000)
    for (let nth = 0; nth < 100; nth++) pace.ended(500)
    expect(pace.capacity(4)).toBe(8)
    pace.ended(500 + 100 * 500)
    expect(pace.capacity(4)).toBe(4)
  })

  it('is finite for jobs that take no time', () => {
    const { pace } = newPace()
    pace.ended(0)
    expect(pace.capacity(3)).toBe(3000)
  })
})

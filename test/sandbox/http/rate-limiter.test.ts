import { describe, expect, it } from 'vitest'
import { RateLimiter } from '../../../src/sandbox/http/rate-limiter.js'

function limiter(requests = 3, windowMs = 6000) {
  const time = { now: 0 }
  const limits = new RateLimiter({ requests, windowMs }, () => time.now)
  return { limits, time, take: (key = 'a', times = 1) => Array.from({ length: times }, () => limits.take(key)) }
}

describe('a budget of 3 requests in 6 s', () => {
  it('is available at once, then one every 2 s, and does not accumulate, however long nobody asked', () => {
    const { take, time } = limiter()
    expect(take('a', 4)).toEqual([0, 0, 0, 2000])
    time.now = 1999
    expect(take()).toEqual([1])
    time.now = 2000
    expect(take('a', 2)).toEqual([0, 2000])
    time.now = 1_000_000
    expect(take('a', 4)).toEqual([0, 0, 0, 2000])
  })

  it('is not reduced by rejected requests', () => {
    const { take, time } = limiter()
    take('a', 3)
    for (time.now = 0; time.now < 2000; time.now += 100) expect(take()[0]).toBeGreaterThan(0)
    expect(take()).toEqual([0])
  })

  it('is separate for each key, and full again after a reset', () => {
    const { limits, take } = limiter()
    for (const key of ['a', 'b']) expect(take(key, 4)).toEqual([0, 0, 0, 2000])
    limits.reset()
    expect(take('a', 3)).toEqual([0, 0, 0])
  })
})

it('asks to wait for at least a whole millisecond', () => {
  const { take } = limiter(7, 10)
  expect(take('a', 8).at(-1)).toBe(2)
})

it('without a limit nobody waits', () => {
  const limits = new RateLimiter(null, () => 0)
  expect(Array.from({ length: 100 }, () => limits.take('a'))).toEqual(Array(100).fill(0))
})

import { describe, expect, it } from 'vitest'
import { backoffMs, honoredDelayMs, parseRetryAfter } from '../../src/core/retry.js'

describe('a back-off', () => {
  const policy = { baseMs: 1000, maxMs: 10_000 }
  const always = (value: number) => () => value

  it('never shrinks with the attempts, and never exceeds its cap', () => {
    const waits = Array.from({ length: 40 }, (_, index) => backoffMs(index + 1, policy, always(0.999999)))
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(Math.max(...waits)).toBeLessThanOrEqual(policy.maxMs)
    expect(waits.at(-1)).toBe(10_000)
  })

  it.each([
    [1, 0, 500],
    [1, 1, 1000],
    [3, 0, 2000],
    [2, 0.5, 1500],
    [4, 1, 8000],
    [5000, 0, 5000],
  ])('of attempt %i with jitter %d is %i ms', (attempt, jitter, ms) => {
    expect(backoffMs(attempt, policy, always(jitter))).toBe(ms)
  })

  it('is a whole number of milliseconds, as the embedded queue requires', () => {
    for (let attempt = 1; attempt < 40; attempt++)
      expect(Number.isInteger(backoffMs(attempt, { baseMs: 333, maxMs: 7777 }, Math.random))).toBe(true)
  })

  it('of a cap below its base is the cap', () => {
    expect(backoffMs(1, { baseMs: 5000, maxMs: 100 }, always(1))).toBe(100)
  })
})

it.each([
  ['is capped at ten minutes where nothing else is said', 3_600_000, 1, undefined, 600_000],
  ['is honored up to the cap', 600_000, 1, undefined, 600_000],
  ['is whole milliseconds', 10.6, 1, 100, 11],
  ['never lets the own back-off pass the cap', undefined, 500, 100, 100],
  ['never shortens the own back-off', 0, 1000, 60_000, 1000],
])('a wait that was asked for %s', (_, asked, own, cap, expected) => {
  expect(honoredDelayMs(asked, own, cap)).toBe(expected)
})

const now = Date.UTC(2026, 10, 22)
it.each([
  [' 7 ', 7000],
  ['0', 0],
  ['1.2345', 1235],
  ['Sun, 22 Nov 2026 00:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 23:59:59 GMT', 0],
  ['7 seconds', undefined],
  ['-1', 0],
  ['', undefined],
  [null, undefined],
])('Retry-After %j asks for %j ms', (header, expected) => {
  expect(parseRetryAfter(header, now)).toBe(expected)
})

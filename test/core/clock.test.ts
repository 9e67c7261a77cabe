import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { clockText, systemClock } from '../../src/core/clock.js'
import { settle } from '../support/manual-clock.js'

describe('the system clock', () => {
  it("sleeps for months, unlike Node's timers", async () => {
    const warnings: string[] = []
    const listen = ({ name }: Error) => warnings.push(name)
    process.on('warning', listen)
    const stop = new AbortController()
    const sleeping = systemClock.sleep(90 * 24 * 3600 * 1000, stop.signal)
    await settle()
    process.off('warning', listen)
    stop.abort(new Error('enough'))
    await expect(sleeping).rejects.toThrow('enough')
    expect(warnings).not.toContain('TimeoutOverflowWarning')
  })

  it('leaves no listener on a signal that outlives the sleep', async () => {
    const { signal } = new AbortController()
    for (let time = 0; time < 3; time++) await systemClock.sleep(0, signal)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('does not sleep where the signal has aborted', async () => {
    const before = AbortSignal.abort(new Error('before'))
    await expect(systemClock.sleep(60_000, before)).rejects.toThrow('before')
  })

  it('returns the time since the epoch, and a monotonic time', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000)
    const [first, second] = [systemClock.monotonic(), systemClock.monotonic()]
    expect(second).toBeGreaterThanOrEqual(first)
    expect(first).toBeLessThan(systemClock.now())
  })
})

it.each([
  [0, 'the local clock agrees with it'],
  [1, 'the local clock is 1 ms behind it'],
  [-1, 'the local clock is 1 ms ahead of it'],
  [9_999, 'the local clock is 9999 ms behind it'],
  [10_000, 'the local clock is 10 s behind it'],
  [-90_000, 'the local clock is 1 min 30 s ahead of it'],
])('how far a clock is off %i ms: %s', (offset, text) => {
  expect(clockText(offset)).toBe(text)
})

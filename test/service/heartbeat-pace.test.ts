import { describe, expect, it } from 'vitest'
import { HeartbeatPace } from '../../src/service/heartbeat-pace.js'

const CAP_MS = 90_000

function pace(...times: number[]) {
  const made = new HeartbeatPace(CAP_MS)
  for (const at of times) made.beat(at)
  return made.idleMs
}

describe('the longest silence of a stream', () => {
  it('is the setting until three intervals are known, then three of the longest', () => {
    expect(pace(0, 15_000, 30_000)).toBe(CAP_MS)
    expect(pace(0, 15_000, 30_000, 45_000)).toBe(45_000)
    expect(pace(0, 10_000, 30_000, 45_000)).toBe(60_000)
  })

  it('forgets a long interval after eight others', () => {
    const late = [0, 15_000, 30_000, 58_000]
    const later = Array.from({ length: 8 }, (_, nth) => 58_000 + (nth + 1) * 15_000)
    expect(pace(...late, ...later.slice(0, -1))).toBe(84_000)
    expect(pace(...late, ...later)).toBe(45_000)
  })

  it('is never above the setting, and never below 5 s', () => {
    expect(pace(0, 60_000, 120_000, 180_000)).toBe(CAP_MS)
    expect(pace(0, 1000, 2000, 3000)).toBe(5000)
  })

  it('ignores heartbeats that came late and together', () => {
    expect(pace(0, 1, 2, 3, 4)).toBe(CAP_MS)
    expect(pace(0, 15_000, 15_001, 15_002, 30_000, 45_000)).toBe(45_000)
  })
})

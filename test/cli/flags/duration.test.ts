import { describe, expect, it } from 'vitest'
import { durationFlag } from '../../../src/cli/flags/duration.js'

const invalid = expect.objectContaining({ reason: 'setting-invalid' })

describe('a time of a flag', () => {
  it.each([
    ['1s', 1000],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['12h', 43_200_000],
    ['2d', 172_800_000],
    ['366d', 31_622_400_000],
  ])('%s is %i ms', (text, ms) => {
    expect(durationFlag('--for', text)).toBe(ms)
  })

  it.each(['0s', '367d', '90', 's', '1.5h', '-1s', '1 h', '1H', '1w', '', '1000000000s'])('%j is none', (text) => {
    expect(() => durationFlag('--for', text)).toThrow(invalid)
    expect(() => durationFlag('--for', text)).toThrow(
      `--for takes a time such as 90s, 30m or 12h, got ${JSON.stringify(text)}`,
    )
  })
})

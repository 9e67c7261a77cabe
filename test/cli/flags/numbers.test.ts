import { describe, expect, it } from 'vitest'
import { durationFlag, wholeNumberFlag } from '../../../src/cli/flags/numbers.js'

it.each(['', '-1', '1.5', '1e3', '0x10', ' 1', '9'.repeat(16)])('refuses %j', (text) => {
  const refused = () => wholeNumberFlag('--port', text)
  expect(refused).toThrow(`--port takes a whole number, got ${JSON.stringify(text)}.`)
  expect(refused).toThrow(expect.objectContaining({ reason: 'argument-invalid' }))
})

it('stays within its bounds, and prints them', () => {
  expect([wholeNumberFlag('--port', '0'), wholeNumberFlag('--limit', '10', { from: 1, to: 10 })]).toEqual([0, 10])
  expect(() => wholeNumberFlag('--limit', '0', { from: 1 })).toThrow('--limit takes a whole number from 1, got "0".')
  expect(() => wholeNumberFlag('--limit', '11', { from: 1, to: 10 })).toThrow('a whole number from 1 to 10, got "11".')
})

const invalid = expect.objectContaining({ reason: 'argument-invalid' })

describe('a duration of a flag', () => {
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

  it.each(['0s', '367d', '90', 's', '1.5h', '-1s', '1 h', '1H', '1w', '', '1000000000s'])('%j is refused', (text) => {
    expect(() => durationFlag('--for', text)).toThrow(invalid)
    expect(() => durationFlag('--for', text)).toThrow(
      `--for takes a time such as 90s, 30m or 12h, got ${JSON.stringify(text)}`,
    )
  })
})

import { expect, it } from 'vitest'
import { wholeNumberFlag } from '../../../src/cli/flags/whole-number.js'

it.each(['', '-1', '1.5', '1e3', '0x10', ' 1', '9'.repeat(16)])('refuses %j', (text) => {
  const refused = () => wholeNumberFlag('--port', text)
  expect(refused).toThrow(`--port takes a whole number, got ${JSON.stringify(text)}.`)
  expect(refused).toThrow(expect.objectContaining({ reason: 'setting-invalid' }))
})

it('keeps to its bounds, and says them', () => {
  expect([wholeNumberFlag('--port', '0'), wholeNumberFlag('--limit', '10', { from: 1, to: 10 })]).toEqual([0, 10])
  expect(() => wholeNumberFlag('--limit', '0', { from: 1 })).toThrow('--limit takes a whole number from 1, got "0".')
  expect(() => wholeNumberFlag('--limit', '11', { from: 1, to: 10 })).toThrow('a whole number from 1 to 10, got "11".')
})

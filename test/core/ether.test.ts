import { describe, expect, it } from 'vitest'
import { etherOf, shortEther } from '../../src/core/ether.js'

it.each([
  [0n, '0'],
  [1n, '0.000000000000000001'],
  [50_000_000_000_000_000n, '0.05'],
  [12n * 10n ** 18n, '12'],
  [1_999_999_999_999_999_999n, '1.999999999999999999'],
])('%s wei are %s ether', (wei, ether) => {
  expect(etherOf(wei)).toBe(ether)
})

it('is cut and never rounded up', () => {
  expect(etherOf(1_999_999_999_999_999_999n, 6)).toBe('1.999999')
})

describe('shortEther', () => {
  const ETHER = 10n ** 18n
  it.each([
    [0n, '0'],
    [1n, '0'],
    [10n ** 12n - 1n, '0'],
    [10n ** 12n, '0.000001'],
    [ETHER - 1n, '0.999999'],
    [ETHER, '1'],
    [ETHER + 5n * 10n ** 17n, '1.5'],
    [ETHER + 10n ** 12n, '1.000001'],
    [2n * ETHER - 1n, '1.999999'],
    [10n * ETHER, '10'],
    [1_000_000n * ETHER, '1000000'],
    [2n ** 256n - 1n, '115792089237316195423570985008687907853269984665640564039457.584007'],
  ])('%s wei are %s ether, cut and never rounded up', (wei, ether) => {
    expect(shortEther(String(wei))).toBe(ether)
  })

  it('does not show leading zeros', () => {
    expect(shortEther(`000${2n * ETHER}`)).toBe('2')
    expect(shortEther('0'.repeat(40))).toBe('0')
  })

  it.each(['', '-1', '1.5', '0x10', '1e18', ' 1', 'many'])('shows %j, which is no amount, as unknown', (wei) => {
    expect(shortEther(wei)).toBe('?')
  })
})

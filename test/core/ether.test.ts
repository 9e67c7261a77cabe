import { expect, it } from 'vitest'
import { etherOf } from '../../src/core/ether.js'

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

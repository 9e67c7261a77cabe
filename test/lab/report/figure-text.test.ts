import { describe, expect, it } from 'vitest'
import { decimal, intervalText, percent } from '../../../src/lab/report/figure-text.js'

describe('figures as text', () => {
  it.each([
    [0.8125, '0.813', '81.3 %'],
    [0, '0.000', '0.0 %'],
    [1, '1.000', '100.0 %'],
    [null, '–', '–'],
    [undefined, '–', '–'],
  ])('%j reads %s or %s', (value, asDecimal, asPercent) => {
    expect([decimal(value), percent(value)]).toEqual([asDecimal, asPercent])
  })

  it('an interval is two of them, or none', () => {
    expect(intervalText({ interval: { low: 0.1, high: 0.25 } })).toBe('0.100 to 0.250')
    expect(intervalText({ interval: { low: 0.1, high: 0.25 } }, percent)).toBe('10.0 % to 25.0 %')
    expect(intervalText({ interval: null })).toBe('–')
  })
})

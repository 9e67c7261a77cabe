import { describe, expect, it } from 'vitest'
import { suggestBand } from '../../../src/lab/calibrate/suggest-band.js'

describe('the suggested band', () => {
  const many = (count: number, score: number, fake: boolean, weight = 1) =>
    Array.from({ length: count }, () => ({ score, fake, weight }))

  it.each([
    [10, 0.5],
    [9, 1],
  ])('needs ten rows beyond an end: %i fakes make it %d', (fakes, high) => {
    expect(suggestBand([...many(fakes, 0.8, true), ...many(20, 0.1, false)], 0.9).high).toBe(high)
  })

  it('is none where every verdict is right, its ends at a half', () => {
    const rows = [...many(20, 0.5, true), ...many(20, 0.49, false)]
    expect(suggestBand(rows, 0.9)).toEqual({ low: 0.49, high: 0.5, inside: 0 })
  })

  it('counts rows by their weight, so that a prior moves it', () => {
    const rows = (weight: number) => [
      ...many(20, 0.6, false, weight),
      ...many(20, 0.6, true),
      ...many(20, 0.9, true),
      ...many(20, 0.1, false),
    ]
    expect(suggestBand(rows(0.1), 0.9)).toMatchObject({ high: 0.5, inside: 0 })
    expect(suggestBand(rows(1), 0.9)).toMatchObject({ high: 0.61, inside: 0.5 })
  })

  it('takes the accuracy itself for enough', () => {
    const rows = [...many(9, 0.9, true), ...many(1, 0.9, false), ...many(10, 0.1, false)]
    expect(suggestBand(rows, 0.9)).toMatchObject({ low: 0.5, high: 0.5 })
    expect(suggestBand(rows, 0.91).high).toBe(1)
  })
})

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

  it('is empty where every verdict is right', () => {
    const rows = [...many(20, 0.5, true), ...many(20, 0.49, false)]
    expect(suggestBand(rows, 0.9)).toEqual({ low: 0.5, high: 0.5 })
  })

  it('is the same for any number of rows of a class', () => {
    const rows = (times: number) => [
      ...many(20, 0.6, false),
      ...many(20, 0.1, false),
      ...many(20 * times, 0.6, true),
      ...many(20 * times, 0.9, true),
    ]
    for (const times of [1, 20]) expect(suggestBand(rows(times), 0.9)).toMatchObject({ high: 0.61 })
  })

  it('allows one side to be right less often than all verdicts, by at most a twentieth', () => {
    const rows = (wrong: number) => [
      ...many(100, 0.9, true),
      ...many(100 - wrong, 0.1, false),
      ...many(wrong, 0.9, false),
    ]
    expect(suggestBand(rows(17), 0.9)).toEqual({ low: 0.5, high: 0.5 })
    expect(suggestBand(rows(18), 0.9)).toMatchObject({ high: 1 })
  })

  it('gives no verdict on a side that is not right often enough', () => {
    const rows = [...many(40, 0.9, true), ...many(60, 0.1, true), ...many(100, 0.1, false)]
    expect(suggestBand(rows, 0.85)).toEqual({ low: 0, high: 0.5 })
  })

  it('covers everything where nothing is right often enough', () => {
    expect(suggestBand(many(50, 0.7, false), 0.85)).toEqual({ low: 0, high: 1 })
  })
})

import { describe, expect, it } from 'vitest'
import { spread } from '../../src/core/spread.js'

describe('spread', () => {
  it.each([
    [[0, 1, 2], 5, [0, 1, 2]],
    [[0, 1, 2, 3, 4], 3, [0, 2, 4]],
    [[0, 1, 2, 3], 1, [0]],
  ])('%j to at most %i', (items, most, expected) => {
    expect(spread(items, most)).toEqual(expected)
  })
})

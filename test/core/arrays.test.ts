import { expect, it } from 'vitest'
import { median, spread } from '../../src/core/arrays.js'

it.each([
  [[0, 1, 2], 5, [0, 1, 2]],
  [[0, 1, 2, 3, 4], 3, [0, 2, 4]],
  [[0, 1, 2, 3], 1, [0]],
])('spread %j to at most %i', (items, most, expected) => {
  expect(spread(items, most)).toEqual(expected)
})

it.each([
  [[7], 7],
  [[3, 1], 2],
  [[10, 9, 1], 9],
  [[4, 100, 2, 1], 3],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected))

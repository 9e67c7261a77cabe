import { expect, it } from 'vitest'
import { median } from '../../src/core/median.js'

it.each([
  [[7], 7],
  [[3, 1], 2],
  [[10, 9, 1], 9],
  [[4, 100, 2, 1], 3],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected))

import { expect, it } from 'vitest'
import { duration, milliseconds } from '../../src/core/duration.js'

it.each([
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [449, '0.4 s'],
  [9_999, '9.9 s'],
  [10_000, '10 s'],
  [59_999, '59 s'],
  [60_000, '1 min 0 s'],
  [200_000, '3 min 20 s'],
  [3_599_999, '59 min 59 s'],
  [3_600_000, '1 h 0 min'],
  [18_120_000, '5 h 2 min'],
  [86_399_999, '23 h 59 min'],
  [86_400_000, '1 d 0 h'],
  [349_200_000, '4 d 1 h'],
])('%i ms reads %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

it.each([
  [null, '?'],
  [0, '0 ms'],
  [0.4, '0 ms'],
  [12.6, '13 ms'],
  [9999, '9999 ms'],
  [10_000, '10.0 s'],
  [61_250, '61.3 s'],
  [-9999, '-9999 ms'],
  [-10_000, '-10.0 s'],
])('milliseconds %j is %s', (ms, text) => {
  expect(milliseconds(ms)).toBe(text)
})

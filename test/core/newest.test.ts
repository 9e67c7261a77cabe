import { expect, it } from 'vitest'
import { setNewest } from '../../src/core/newest.js'

it('an entry that is set again is the newest, and the oldest goes where there are too many', () => {
  const map = new Map<string, number>()
  for (const [nth, key] of ['a', 'b', 'a', 'c', 'd'].entries()) setNewest(map, key, nth, 3)
  expect([...map]).toEqual([
    ['a', 2],
    ['c', 3],
    ['d', 4],
  ])
})

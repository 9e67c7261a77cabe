import { describe, expect, it } from 'vitest'
import { nativeCrops } from '../../../src/detect/image/picture-views.js'

/** Left and top of each crop. */
const starts = (width: number, height: number, plan = { size: 32, count: 4 }) =>
  nativeCrops({ width, height }, plan).map(({ left, top }) => [left, top])

describe('nativeCrops', () => {
  it('stand at a quarter and three quarters of the room, in reading order', () => {
    expect(starts(232, 132)).toEqual([
      [50, 25],
      [150, 25],
      [50, 75],
      [150, 75],
    ])
  })

  it('are one along a side that has no room for a second', () => {
    expect(starts(47, 40)).toEqual([[7, 4]])
    expect(starts(48, 40)).toEqual([
      [4, 4],
      [12, 4],
    ])
  })

  it('are as large as a smaller picture allows', () => {
    const picture = { width: 20, height: 50 }
    expect(nativeCrops(picture, { size: 32, count: 4 })).toEqual([
      { left: 0, top: 7, width: 20, height: 20 },
      { left: 0, top: 22, width: 20, height: 20 },
    ])
  })

  it.each([
    [1, 1],
    [3, 1],
    [8, 4],
    [9, 9],
    [16, 16],
  ])('are a square grid of at most %i', (count, given) => {
    expect(starts(2000, 1500, { size: 32, count })).toHaveLength(given)
  })
})

import { describe, expect, it } from 'vitest'
import type { Picture } from '../../../src/detect/contract/picture.js'
import { nativeCrops } from '../../../src/detect/image/native-crops.js'
import { noisePixels } from '../../support/detector-images.js'

const PLAN = { size: 32, count: 4 }
const noisy = (width: number, height: number): Picture => ({ pixels: noisePixels(width, height), width, height })
const starts = (picture: Picture, plan = PLAN) => nativeCrops(picture, plan).map(({ left, top }) => [left, top])

/** Flat but for one rectangle of noise. */
function noisyAt(width: number, height: number, left: number, top: number, side: number): Picture {
  const pixels = Buffer.alloc(width * height * 3, 90)
  const grains = noisePixels(side, side)
  for (let y = 0; y < side; y++) grains.copy(pixels, ((top + y) * width + left) * 3, y * side * 3, (y + 1) * side * 3)
  return { pixels, width, height }
}

describe('nativeCrops', () => {
  it('reach every edge, at most half a side over each other', () => {
    expect(starts(noisy(64, 64))).toEqual([
      [0, 0],
      [32, 0],
      [0, 32],
      [32, 32],
    ])
    expect(starts(noisy(48, 32))).toEqual([
      [0, 0],
      [16, 0],
    ])
    expect(starts(noisy(47, 40))).toEqual([[7, 4]])
  })

  it('are as large as a smaller picture allows', () => {
    expect(nativeCrops(noisy(20, 50), PLAN)).toEqual([
      { left: 0, top: 0, width: 20, height: 20 },
      { left: 0, top: 15, width: 20, height: 20 },
      { left: 0, top: 30, width: 20, height: 20 },
    ])
  })

  it('leave out what is flat where there is something else', () => {
    expect(starts(noisyAt(128, 128, 40, 40, 20))).toEqual([[32, 32]])
    expect(starts({ pixels: Buffer.alloc(64 * 32 * 3, 7), width: 64, height: 32 })).toHaveLength(2)
  })

  it('are those with the most detail, no more than asked for, in reading order', () => {
    const crops = starts(noisy(2000, 1500))
    expect(crops).toHaveLength(4)
    expect(crops).toEqual(crops.toSorted((a, b) => (a[1] ?? 0) - (b[1] ?? 0) || (a[0] ?? 0) - (b[0] ?? 0)))
    expect(starts(noisy(2000, 1500))).toEqual(crops)
  })
})

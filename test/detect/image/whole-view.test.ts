import { describe, expect, it } from 'vitest'
import { wholeView } from '../../../src/detect/image/whole-view.js'

/** A picture whose bytes tell where they stand: red the column, green the row, blue their sum. */
function picture(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set([x, y, x + y], (y * width + x) * 3)
  return { pixels, width, height }
}

describe('wholeView', () => {
  const view = (width: number, height: number, shortSide: number, maxAspect: number) =>
    wholeView(picture(width, height), { shortSide, maxAspect, kernel: 'linear' })

  it.each([
    [40, 20, 20, 2, 40, 20],
    [20, 40, 20, 2, 20, 40],
    [100, 20, 20, 2, 40, 20],
    [20, 100, 20, 1.5, 20, 30],
    [100, 100, 32, 1, 32, 32],
    [30, 10, 40, 4, 120, 40],
  ])(
    'of %ix%i px to a short side of %i, at most %d times as long: %ix%i',
    async (width, height, side, aspect, ...size) => {
      const { width: toWidth, height: toHeight, pixels } = await view(width, height, side, aspect)
      expect([toWidth, toHeight]).toEqual(size)
      expect(pixels).toHaveLength(toWidth * toHeight * 3)
    },
  )

  it('uses the middle of a long picture', async () => {
    const { pixels, width } = await view(100, 20, 20, 2)
    expect([pixels[0], pixels[(width - 1) * 3]]).toEqual([30, 69])
    expect([pixels[1], pixels[(width * 20 - 1) * 3 + 1]]).toEqual([0, 19])
  })

  it('enlarges a picture as Pillow does, without a shift', async () => {
    const { pixels } = await view(100, 100, 101, 1)
    const red = Array.from({ length: 101 }, (_, column) => pixels[column * 3])
    // The ramp from 0 to 99 at the middles of 101 columns.
    expect(red).toEqual(
      red.map((_, column) => Math.min(99, Math.max(0, Math.round(((column + 0.5) * 100) / 101 - 0.5)))),
    )
  })
})

import { describe, expect, it } from 'vitest'
import { imageVariants } from '../../../src/detect/image/image-variants.js'
import { piece } from '../../../src/detect/image/picture.js'
import { noisePixels } from '../../support/detector-images.js'

const picture = (width: number, height: number) => ({ pixels: noisePixels(width, height), width, height })

async function variantsOf(width: number, height: number) {
  const found = []
  for await (const variant of imageVariants(picture(width, height))) found.push(variant)
  return found
}

describe('imageVariants', () => {
  it('re-encodes, shrinks, and crops with coarse quality', async () => {
    const sizes = (await variantsOf(200, 100)).map(({ name, picture: { width, height } }) => [name, width, height])
    expect(sizes).toEqual([
      ['JPEG quality 80', 200, 100],
      ['75 % size', 150, 75],
      ['cut by 2 % a side, JPEG quality 60', 192, 96],
    ])
  })

  it('changes pixels, and the same picture always in the same way', async () => {
    const [first, second] = [await variantsOf(60, 40), await variantsOf(60, 40)]
    for (const [index, { picture: changed }] of first.entries()) {
      expect(changed.pixels.length).toBe(changed.width * changed.height * 3)
      expect(second[index]?.picture.pixels.equals(changed.pixels)).toBe(true)
      expect(changed.pixels.equals(noisePixels(60, 40))).toBe(false)
    }
  })

  it.each([
    [1, 1],
    [1, 500],
    [3, 2],
  ])('works on a picture of %d x %d', async (width, height) => {
    for (const { picture: changed } of await variantsOf(width, height))
      expect(changed.pixels.length).toBe(changed.width * changed.height * 3)
  })
})

it('piece is the stated rectangle', async () => {
  const whole = picture(8, 6)
  const cut = await piece(whole, { left: 2, top: 3, width: 4, height: 2 })
  expect([cut.width, cut.height]).toEqual([4, 2])
  expect([...cut.pixels.subarray(0, 12)]).toEqual([...whole.pixels.subarray((3 * 8 + 2) * 3, (3 * 8 + 2) * 3 + 12)])
})

import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { Picture } from '../../../src/detect/contract/picture.js'
import { isFeatureless } from '../../../src/detect/image/featureless.js'
import { noisePixels } from '../../support/detector-images.js'

/** A picture made by a rule: a byte for each place and channel. */
function drawn(width: number, height: number, byte: (x: number, y: number, channel: number) => number): Picture {
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) {
    const pixel = Math.floor(at / 3)
    pixels[at] = Math.max(0, Math.min(255, Math.round(byte(pixel % width, Math.floor(pixel / width), at % 3))))
  }
  return { pixels, width, height }
}

async function coded(picture: Picture, as: 'jpeg' | 'webp'): Promise<Picture> {
  const raw = sharp(picture.pixels, { raw: { width: picture.width, height: picture.height, channels: 3 } })
  const { data, info } = await sharp(await raw.toFormat(as, { quality: 70 }).toBuffer())
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

describe('isFeatureless', () => {
  it.each([
    ['one color', drawn(300, 200, (_x, _y, channel) => [200, 30, 90][channel] ?? 0)],
    ['a black frame', drawn(640, 360, () => 0)],
    ['a gradient', drawn(400, 300, (x, y, channel) => (channel === 1 ? y * 0.8 : x * 0.6))],
    ['a round gradient', drawn(300, 300, (x, y) => 255 - Math.hypot(x - 150, y - 150))],
    ['a page with a speck', drawn(1000, 1000, (x, y) => (x === 500 && y === 500 ? 0 : 255))],
    ['a picture of one pixel', drawn(1, 1, () => 40)],
  ])('is true for %s, as it is and encoded', async (_, picture) => {
    expect(await isFeatureless(picture)).toBe(true)
    expect(await isFeatureless(await coded(picture, 'jpeg'))).toBe(true)
    expect(await isFeatureless(await coded(picture, 'webp'))).toBe(true)
  })

  it.each([
    ['a field of color alone', drawn(320, 320, (x, _y, channel) => (channel === 2 && x % 40 < 20 ? 160 : 60))],
    ['a line of writing', drawn(400, 300, (x, y) => (y > 140 && y < 156 && x % 8 < 3 ? 0 : 255))],
    ['noise', { pixels: noisePixels(200, 100), width: 200, height: 100 }],
    ['a picture out of focus', drawn(2400, 1600, (x, y) => 128 + 100 * Math.sin(x / 20) * Math.sin(y / 20))],
  ])('is false for %s', async (_, picture) => {
    expect(await isFeatureless(picture)).toBe(false)
  })

  it.each(['moon.png', 'hubble_deep_field.jpg', 'rocket.jpg'])('is false for the photograph %s', async (name) => {
    const { data, info } = await sharp(packagePath('samples', name))
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(await isFeatureless({ pixels: data, width: info.width, height: info.height })).toBe(false)
  })
})

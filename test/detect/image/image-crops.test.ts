import { describe, expect, it } from 'vitest'
import { cropPositions, imageParts, keptArea } from '../../../src/detect/image/image-crops.js'
import type { DecodedImage } from '../../../src/detect/image/image-decode.js'
import type { ImagePreprocessing } from '../../../src/detect/package/image-plan.js'
import { noisePixels } from '../../support/detector-images.js'
import { withReason } from '../../support/with-reason.js'

const PLAN: ImagePreprocessing = {
  kind: 'image',
  resize: { shortSide: 40, fit: 'short-side', kernel: 'lanczos3' },
  crops: { size: 32, positions: 'five' },
  normalize: { mean: [0.5, 0.25, 0], std: [0.5, 0.25, 1] },
  minShortSide: 32,
  refuseFeatureless: false,
}

function decoded(width: number, height: number, pixels = noisePixels(width, height)): DecodedImage {
  return { pixels, width, height, format: 'png', frames: 1, others: [] }
}

describe('cropPositions', () => {
  it('are the corners and the center', () => {
    expect(cropPositions(60, 41, 32, 'five')).toEqual([
      ['top left', 0, 0],
      ['top right', 28, 0],
      ['bottom left', 0, 9],
      ['bottom right', 28, 9],
      ['center', 14, 4],
    ])
  })

  it('or the center alone', () => expect(cropPositions(32, 32, 32, 'center')).toEqual([['center', 0, 0]]))
})

it.each([
  [100, 50, { left: 0, top: 0, width: 100, height: 50 }],
  [800, 100, { left: 0, top: 0, width: 800, height: 100 }],
  [30_000, 40, { left: 14_840, top: 0, width: 320, height: 40 }],
  [40, 30_001, { left: 0, top: 14_840, width: 40, height: 320 }],
])('keptArea of %d x %d', (width, height, area) => expect(keptArea(width, height)).toEqual(area))

describe('imageParts', () => {
  it('returns normalized planes of the exact pixels where nothing is resized', async () => {
    const pixels = noisePixels(50, 40)
    const crops = await imageParts(decoded(50, 40, pixels), PLAN)
    expect(crops.map(({ name }) => name)).toEqual(['top left', 'top right', 'bottom left', 'bottom right', 'center'])
    const [, , , bottomRight] = crops
    const byte = (x: number, y: number, channel: number) => (pixels[(y * 50 + x) * 3 + channel] as number) / 255
    const at = (channel: number, x: number, y: number) => bottomRight?.inputs[0]?.values[channel * 32 * 32 + y * 32 + x]
    expect(bottomRight?.inputs[0]?.values).toHaveLength(3 * 32 * 32)
    expect(at(0, 0, 0)).toBe(Math.fround((byte(18, 8, 0) - 0.5) / 0.5))
    expect(at(1, 31, 31)).toBe(Math.fround((byte(49, 39, 1) - 0.25) / 0.25))
    expect(at(2, 5, 7)).toBe(Math.fround(byte(23, 15, 2)))
  })

  it.each([
    ['down', 400, 300],
    ['up', 33, 50],
    ['of a strip', 4_000, 36],
    ['of a strip that stands', 36, 4_000],
  ])('resizes the short side: %s', async (_, width, height) => {
    const crops = await imageParts(decoded(width, height), PLAN)
    expect(crops).toHaveLength(5)
    const values = crops.map(({ inputs }) => inputs[0]?.values as Float32Array)
    for (const each of values) expect(each.every((value) => Number.isFinite(value))).toBe(true)
    expect(new Set(values.map(({ buffer }) => Buffer.from(buffer).toString('base64'))).size).toBe(5)
  })

  it('returns the same bits twice', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => imageParts(decoded(301, 211), PLAN)))
    expect(first).toEqual(second)
  })

  it('refuses an image below the smallest side', async () => {
    await expect(imageParts(decoded(31, 500), PLAN)).rejects.toThrow(
      withReason('media-too-small', /31x500 px.*at least 32 px/),
    )
    await expect(imageParts(decoded(1, 1), PLAN)).rejects.toMatchObject({ reason: 'media-too-small' })
  })
})

describe('another fit and kernel', () => {
  const stretch: ImagePreprocessing = {
    ...PLAN,
    resize: { shortSide: 32, fit: 'stretch', kernel: 'linear' },
    crops: { size: 32, positions: 'center' },
    normalize: { mean: [0, 0, 0], std: [1, 1, 1] },
  }

  it('stretches the whole picture, a long strip included', async () => {
    const [width, height] = [640, 32]
    // Left half black, right half white: cut at the middle, a strip of 20 to 1 would lose both ends.
    const pixels = Buffer.alloc(width * height * 3, 0)
    for (let at = 0; at < pixels.length; at++) if (Math.floor(at / 3) % width >= width / 2) pixels[at] = 255
    const [crop] = await imageParts(decoded(width, height, pixels), stretch)
    const row = Array.from((crop!.inputs[0]!.values as Float32Array).subarray(0, 32))
    expect(row.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => 0))
    expect(row.slice(17)).toEqual(Array.from({ length: 15 }, () => 1))
  })

  it.each(['cubic', 'linear'] as const)('%s gives other pixels than lanczos3', async (kernel) => {
    const image = decoded(100, 80)
    const [one] = await imageParts(image, PLAN)
    const [other] = await imageParts(image, { ...PLAN, resize: { ...PLAN.resize, kernel } })
    expect(other?.inputs[0]?.values).not.toEqual(one?.inputs[0]?.values)
  })
})

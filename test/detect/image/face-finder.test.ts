import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { packagePath } from '../../../src/core/files.js'
import type { Picture } from '../../../src/detect/contract/picture.js'
import { decodeLevel, type FaceFinder, loadFaceFinder, withoutDoubles } from '../../../src/detect/image/face-finder.js'
import { faceName, faceSquare, facesIn } from '../../../src/detect/image/image-faces.js'
import { loadPackage } from '../../../src/detect/package/package-loader.js'
import { FACES_FILE, FACES_PLAN, writeViewsPackage } from '../../support/detector-faces.js'
import { noisePixels } from '../../support/detector-images.js'
import { folderForAll } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const LIMITS = FACES_PLAN

async function pictureOf(image: Sharp): Promise<Picture> {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { pixels: data, width: info.width, height: info.height }
}

const sample = (name: string) => sharp(packagePath('samples', name))

describe('a face finder', () => {
  const folder = folderForAll()
  let finder: FaceFinder
  beforeAll(async () => {
    finder = await loadFaceFinder(await loadPackage(await writeViewsPackage(folder)), FACES_FILE)
  })

  it('finds the face in a portrait, in pixels of the picture, and the same one each time', async () => {
    const portrait = await pictureOf(sample('astronaut.jpg'))
    const faces = await finder.find(portrait, LIMITS)
    expect(faces).toHaveLength(1)
    const { left, top, width, height, confidence } = faces[0] as NonNullable<(typeof faces)[0]>
    expect(Math.abs(left - 178)).toBeLessThan(12)
    expect(Math.abs(top - 53)).toBeLessThan(12)
    expect(Math.abs(width - 95)).toBeLessThan(12)
    expect(Math.abs(height - 125)).toBeLessThan(12)
    expect(confidence).toBeGreaterThan(0.95)
    expect(await finder.find(portrait, LIMITS)).toEqual(faces)
  })

  it('finds every face of a group, largest first, at any shape of the picture', async () => {
    const small = await sample('astronaut.jpg').resize(400, 400).toBuffer()
    const group = await pictureOf(
      sample('brick.jpg')
        .resize(1400, 512, { fit: 'fill' })
        .composite([
          { input: small, left: 20, top: 50 },
          { input: await sample('astronaut.jpg').toBuffer(), left: 800, top: 0 },
        ]),
    )
    const faces = await finder.find(group, LIMITS)
    expect(faces.map(({ left }) => left > 800)).toEqual([true, false])
    expect(await finder.find(group, { ...LIMITS, maxFaces: 1 })).toEqual([faces[0]])
    expect(await finder.find(group, { ...LIMITS, minSide: 105 })).toEqual([faces[0]])
    expect(await finder.find(group, { ...LIMITS, minConfidence: 1 })).toEqual([])
  })

  it.each(['coffee.jpg', 'brick.jpg', 'goldfish.jpg', 'network-pattern-1.jpg'])('finds none in %s', async (name) => {
    expect(await finder.find(await pictureOf(sample(name)), LIMITS)).toEqual([])
  })

  it.each([
    [1, 1],
    [1, 3000],
    [700, 5],
  ])('returns a result for %d x %d pixels', async (width, height) => {
    expect(await finder.find({ pixels: noisePixels(width, height), width, height }, LIMITS)).toEqual([])
  })

  it('searches again at a larger scale where the first pass is unsure', async () => {
    const portrait = await pictureOf(sample('astronaut.jpg'))
    expect(await finder.find(portrait, { ...LIMITS, side: 80, closerSide: 80 })).toEqual([])
    const closer = await finder.find(portrait, { ...LIMITS, side: 80, closerSide: 480 })
    expect(closer).toEqual(await finder.find(portrait, { ...LIMITS, side: 480 }))
    expect(closer).toHaveLength(1)
  })

  it('is refused with another network', async () => {
    const pack = await loadPackage(path.join(folder, 'tiny-views'))
    await expect(loadFaceFinder(pack, 'tiny.onnx')).rejects.toThrow(
      withReason('manifest-invalid', /preprocessing\.faces\.finder: tiny\.onnx takes no data, but /),
    )
  })
})

describe('decodeLevel', () => {
  const LEVEL = { stride: 32, sides: [512, 256], across: 20 }

  it('places a box by its anchor', () => {
    const plane = 20 * 20
    const near = (value: number) => expect.closeTo(value, 4)
    const scores = new Float32Array(4 * plane)
    const boxes = new Float32Array(8 * plane)
    const at = 3 * 20 + 5
    scores[3 * plane + at] = 0.99
    boxes[4 * plane + at] = 0.5
    boxes[6 * plane + at] = Math.log(2)
    expect(decodeLevel(scores, boxes, LEVEL, 0.9)).toEqual([
      { x0: near(40), y0: near(-24), x1: near(552), y1: near(232), confidence: near(0.99) },
    ])
  })

  it('takes no box from scores that are not numbers', () => {
    const scores = new Float32Array(4 * 400).fill(Number.NaN)
    expect(decodeLevel(scores, new Float32Array(8 * 400), LEVEL, 0.5)).toEqual([])
  })
})

const box = (x0: number, confidence: number) => ({ x0, y0: 0, x1: x0 + 10, y1: 10, confidence })

it('withoutDoubles keeps the most confident of boxes over one face, and boxes beside each other', () => {
  expect(withoutDoubles([box(0, 0.9), box(2, 0.95), box(9, 0.91)])).toEqual([box(2, 0.95), box(9, 0.91)])
})

describe('faceSquare', () => {
  const face = { left: 40, top: 30, width: 20, height: 30, confidence: 1 }
  it.each([
    ['in the middle', face, 0.5, { width: 200, height: 200 }, { left: 20, top: 15, width: 60, height: 60 }],
    [
      'moved inside',
      { ...face, left: 0, top: 0 },
      0.5,
      { width: 200, height: 200 },
      { left: 0, top: 0, width: 60, height: 60 },
    ],
    ['no larger than the picture', face, 2, { width: 100, height: 80 }, { left: 10, top: 0, width: 80, height: 80 }],
  ])('%s', (_, at, margin, picture, square) => expect(faceSquare(at, margin, picture)).toEqual(square))

  it('moves with its place in a variant', () => {
    const variant = {
      name: 'x',
      picture: { pixels: Buffer.alloc(0), width: 0, height: 0 },
      left: 4,
      top: 2,
      scale: 0.5,
    }
    expect(facesIn(variant, [face])).toEqual([{ left: 18, top: 14, width: 10, height: 15, confidence: 1 }])
  })

  it('is named by its place', () => expect(faceName(face, 1)).toBe('face 2 (40,30 20x30)'))
})

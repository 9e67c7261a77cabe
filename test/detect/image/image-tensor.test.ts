import { describe, expect, it } from 'vitest'
import { imageTensor, wholeCut } from '../../../src/detect/image/image-tensor.js'

const PLAIN = { mean: [0, 0, 0], std: [1 / 255, 1 / 255, 1 / 255] } as const
const normalize = (mean: readonly number[], std: readonly number[]) =>
  ({ mean, std }) as unknown as Parameters<typeof imageTensor>[1]

/** A picture whose bytes tell where they stand: red the column, green the row, blue their sum. */
function picture(width: number, height: number) {
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels.set([x, y, x + y], (y * width + x) * 3)
  return { pixels, width, height }
}

describe('imageTensor', () => {
  it('returns planes of red, green and blue, row by row', () => {
    const { values, shape, type } = imageTensor(wholeCut(picture(3, 2)), normalize(PLAIN.mean, PLAIN.std))
    expect([type, shape]).toEqual(['float32', [1, 3, 2, 3]])
    expect(Array.from(values, Math.round)).toEqual([0, 1, 2, 0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 1, 2, 1, 2, 3])
  })

  it('cuts an area out of a wider picture', () => {
    const area = { left: 2, top: 1, width: 2, height: 3 }
    const { values, shape } = imageTensor({ picture: picture(5, 6), area }, normalize(PLAIN.mean, PLAIN.std))
    expect(shape).toEqual([1, 3, 3, 2])
    expect(Array.from(values, Math.round)).toEqual([2, 3, 2, 3, 2, 3, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6])
  })

  it('normalizes each channel by its own mean and deviation', () => {
    const one = { pixels: Buffer.from([255, 128, 0]), width: 1, height: 1 }
    const { values } = imageTensor(wholeCut(one), normalize([0.5, 0.25, 0.125], [0.5, 0.25, 2]))
    expect([...values]).toEqual([1, Math.fround((128 / 255 - 0.25) / 0.25), Math.fround(-0.125 / 2)])
  })
})

import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sniffImageFormat } from '../../../src/detect/image/image-format.js'
import { imageTensor, wholeCut } from '../../../src/detect/image/image-tensor.js'
import { wholeView } from '../../../src/detect/image/whole-view.js'

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
  it('gives planes of red, green and blue, row by row', () => {
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

  it('looks at the middle of a long picture', async () => {
    const { pixels, width } = await view(100, 20, 20, 2)
    expect([pixels[0], pixels[(width - 1) * 3]]).toEqual([30, 69])
    expect([pixels[1], pixels[(width * 20 - 1) * 3 + 1]]).toEqual([0, 19])
  })
})

describe('sniffImageFormat', () => {
  let folder: string
  beforeAll(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-image-format-'))
  })
  afterAll(() => fs.rm(folder, { recursive: true }))
  const formatOf = async (bytes: Buffer) => {
    const file = path.join(folder, 'picture.png')
    await fs.writeFile(file, bytes)
    return sniffImageFormat(file)
  }

  it.each(['49492a0008000000', '4d4d002a00000008', '49492b0008000000', '4d4d002b00080000'])(
    'a TIFF of either byte order, big ones too: %s',
    async (hex) => {
      expect(await formatOf(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(100)]))).toBe('tiff')
    },
  )

  it.each([
    ['SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">'), 'media-unsupported', /svg/],
    ['SVG without a head', Buffer.from('<svg>'), 'media-unsupported', /svg/],
    [
      'a page that names one',
      Buffer.from('<html><body>svgs and <svgx></body></html>'),
      'media-type-mismatch',
      /bytes are/,
    ],
    ['a Canon raw', Buffer.from('49492a0010000000435202000000', 'hex'), 'media-unsupported', /cr2/],
    ['an icon', Buffer.from('00000100010010100000010020006804', 'hex'), 'media-unsupported', /not supported/],
    ['nothing', Buffer.alloc(0), 'media-empty', /./],
    ['a sound', Buffer.from('fLaC\0\0\0\x22', 'latin1'), 'media-type-mismatch', /flac/],
  ])('refuses %s', async (_, bytes, reason, message) => {
    await expect(formatOf(bytes)).rejects.toMatchObject({ reason, message: expect.stringMatching(message) })
  })
})

import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { AttestdError } from '../../../src/core/errors.js'
import { decodeImage, otherPictures } from '../../../src/detect/image/image-decode.js'
import { isoMedia, noise, noisePixels, plain, pngClaiming, twoFrames } from '../../support/detector-images.js'
import { filesForAll } from '../../support/temporary-folder.js'

const LIMITS = { timeoutSeconds: 10 }
const COLOR = { r: 200, g: 100, b: 50 }

const fileWith = filesForAll()
const decode = async (data: Uint8Array | string) => decodeImage(await fileWith(data), LIMITS)

/** The color at the middle of a decoded image. */
function middle({ pixels, width, height }: { pixels: Buffer; width: number; height: number }): number[] {
  return [...pixels.subarray(((height >> 1) * width + (width >> 1)) * 3).subarray(0, 3)]
}

describe('formats', () => {
  it.each([
    ['png', () => noise().png()],
    ['webp', () => noise().webp({ lossless: true })],
    ['tiff', () => noise().tiff({ compression: 'deflate' })],
  ])('%s without loss gives the exact pixels', async (format, make) => {
    const image = await decode(await make().toBuffer())
    expect(image).toMatchObject({ format, width: 120, height: 80, frames: 1 })
    expect(image.pixels.equals(noisePixels(120, 80))).toBe(true)
  })

  it.each([
    ['jpeg', () => plain(COLOR).jpeg()],
    ['gif', () => plain(COLOR).gif()],
    ['heif', () => plain(COLOR).avif({ effort: 0 })],
  ])('%s is decoded', async (format, make) => {
    const image = await decode(await make().toBuffer())
    expect(image).toMatchObject({ format, width: 120, height: 80 })
    for (const [index, value] of middle(image).entries()) expect(value).toBeCloseTo([200, 100, 50][index] as number, -1)
  })
})

describe('unusual images', () => {
  it.each([
    ['16-bit PNG', () => plain(COLOR).toColourspace('rgb16').png(), [200, 100, 50]],
    ['16-bit gray PNG', () => plain('#808080').toColourspace('grey16').png(), [128, 128, 128]],
    ['gray JPEG', () => plain('#808080').toColourspace('b-w').jpeg(), [128, 128, 128]],
    ['palette PNG', () => plain(COLOR).png({ palette: true }), [200, 100, 50]],
    ['LAB TIFF', () => plain(COLOR).toColourspace('lab').tiff(), [200, 100, 50]],
  ])('%s keeps its color', async (_, make, color) => {
    expect(middle(await decode(await make().toBuffer()))).toEqual(color)
  })

  it('CMYK JPEG becomes sRGB, near its color', async () => {
    const [r, g, b] = middle(await decode(await plain(COLOR).toColourspace('cmyk').jpeg().toBuffer())) as number[]
    expect(r).toBeGreaterThan(180)
    expect(g).toBeLessThan(120)
    expect(b).toBeLessThan(70)
  })

  it('transparent is white, half transparent is half white', async () => {
    const clear = sharp({ create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    const half = sharp({ create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0.5 } } })
    expect(middle(await decode(await clear.png().toBuffer()))).toEqual([255, 255, 255])
    expect(middle(await decode(await half.png().toBuffer()))[0]).toBeCloseTo(127, -1)
  })

  it.each(['gif', 'webp'] as const)('only the first frame of an animated %s is seen', async (format) => {
    const image = await decode(await twoFrames().toFormat(format).toBuffer())
    expect(image).toMatchObject({ width: 64, height: 64, frames: 2 })
    expect(middle(image)).toEqual([255, 255, 255])
  })

  it('EXIF orientation is applied', async () => {
    const flat = sharp(Buffer.concat([Buffer.alloc(60 * 40 * 3, 255), Buffer.alloc(60 * 40 * 3, 0)]), {
      raw: { width: 60, height: 80, channels: 3 },
    })
    const image = await decode(await flat.png().withMetadata({ orientation: 6 }).toBuffer())
    // Orientation 6 is a quarter turn clockwise: the white top half comes to the right.
    expect([image.width, image.height]).toEqual([80, 60])
    expect([image.pixels[0], image.pixels[79 * 3]]).toEqual([0, 255])
  })

  it('bytes after the image (a polyglot) change nothing', async () => {
    const jpeg = await noise().jpeg().toBuffer()
    const alone = await decode(jpeg)
    const polyglot = await decode(Buffer.concat([jpeg, Buffer.from('PK\u0003\u0004<script>alert(1)</script>')]))
    expect(polyglot.pixels.equals(alone.pixels)).toBe(true)
  })

  it('one pixel is decoded', async () => {
    expect(await decode(await plain(COLOR, 1, 1).png().toBuffer())).toMatchObject({ width: 1, height: 1 })
  })
})

describe('another view of a picture', () => {
  const [white, black] = [Buffer.alloc(64 * 64 * 3, 255), Buffer.alloc(64 * 64 * 3, 0)]

  async function others(data: Uint8Array, refuse: () => void = () => {}) {
    const file = await fileWith(data)
    const found: [name: string, color: number[]][] = []
    for await (const { name, picture } of otherPictures(await decodeImage(file, LIMITS), refuse))
      found.push([name, middle(picture)])
    return found
  }
  const animation = (delay: number[]) => {
    const frames = delay.map((_, index) => Buffer.from(white).fill(index * 20))
    return sharp(Buffer.concat(frames), { raw: { width: 64, height: 64 * delay.length, channels: 3, pageHeight: 64 } })
  }

  it.each(['gif', 'webp'] as const)(
    'is the frame of an animated %s at a time that its bytes select, and the last',
    async (format) => {
      const delay = [100, 100, 100, 100, 700, 100]
      const data = await animation(delay).toFormat(format, { lossless: true, delay }).toBuffer()
      const found = []
      for (let junk = 0; junk < 12; junk++) found.push(await others(Buffer.concat([data, Buffer.alloc(junk)])))
      for (const frames of found) {
        expect(frames.at(-1)).toEqual(['frame 6 of 6', [100, 100, 100]])
        for (const [name, color] of frames) expect(color[0]).toBe(20 * (Number(name.split(' ')[1]) - 1))
      }
      const longest = found.filter((frames) => frames.some(([name]) => name === 'frame 5 of 6'))
      expect(longest.length).toBeGreaterThan(3)
      expect(longest.length).toBeLessThan(12)
      expect(await others(data)).toEqual(found[0])
    },
  )

  it('is the second of two frames, even if the first has no duration', async () => {
    expect(
      await others(
        await twoFrames()
          .gif({ delay: [0, 5000] })
          .toBuffer(),
      ),
    ).toEqual([['frame 2 of 2', [0, 0, 0]]])
  })

  it.each(['png', 'webp', 'avif'] as const)('is on black where a %s is transparent', async (format) => {
    const clear = sharp({ create: { width: 50, height: 50, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    expect(await others(await clear.toFormat(format).toBuffer())).toEqual([['shown on black', [0, 0, 0]]])
  })

  it('is as stored where browsers do not rotate it', async () => {
    const halves = sharp(Buffer.concat([white, black]), { raw: { width: 64, height: 128, channels: 3 } })
    const turned = halves.withMetadata({ orientation: 6 })
    expect((await others(await turned.webp({ lossless: true }).toBuffer())).map(([name]) => name)).toEqual([
      'not turned',
    ])
    expect(await others(await turned.png().toBuffer())).toEqual([])
  })

  it('is left out where it is identical, or cannot be judged', async () => {
    expect(await others(await noise().ensureAlpha().png().toBuffer())).toEqual([])
    expect(
      await others(
        await animation([100, 100])
          .gif({ delay: [100, 100] })
          .toBuffer(),
        () => {
          throw new AttestdError('media-featureless')
        },
      ),
    ).toEqual([])
  })

  it('is refused where the frames of an animation have more than 150 megapixels', async () => {
    const webp = await animation([100, 100, 100, 100, 100, 100, 100, 100]).webp().toBuffer()
    // Of the canvas, less one.
    webp.writeUIntLE(3999, 24, 3)
    webp.writeUIntLE(3999, 27, 3)
    expect((await decode(webp)).frames).toBe(8)
    webp.writeUIntLE(4799, 24, 3)
    await expect(decode(webp)).rejects.toMatchObject({ reason: 'media-too-complex' })
  })
})

describe('refusals', () => {
  it.each([
    ['text', 'Lorem ipsum dolor sit amet', 'media-type-mismatch'],
    ['a PNG that claims 30,000 x 30,000 px', pngClaiming(30_000, 30_000), 'media-too-complex'],
    ['a PNG that claims more than it holds', pngClaiming(5_000, 5_000), 'media-corrupt'],
    ['a JPEG signature and nothing else', Buffer.from('ffd8ffe000104a464946', 'hex'), 'media-corrupt'],
    ['an AVIF brand and nothing else', isoMedia('avif'), 'media-corrupt'],
    ['a TIFF signature and nothing else', Buffer.from('49492a0008000000', 'hex'), 'media-corrupt'],
  ])('%s', async (_, data, reason) => {
    await expect(decode(data)).rejects.toMatchObject({ reason })
  })

  it.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)(
    'a %s cut off at 60 percent is corrupt',
    async (format) => {
      const whole = await noise().toFormat(format).toBuffer()
      await expect(decode(whole.subarray(0, whole.length * 0.6))).rejects.toMatchObject({ reason: 'media-corrupt' })
    },
  )

  it('an AVIF of more than 18 megapixels in few bytes is too complex, a PNG only beyond 48', async () => {
    const plain = sharp({ create: { width: 5000, height: 4801, channels: 3, background: '#777' } })
    const small = await plain.clone().avif({ effort: 0, quality: 1 }).toBuffer()
    await expect(decode(small)).rejects.toMatchObject({
      reason: 'media-too-complex',
      message: `The picture has more than the 18000000 pixels that are decoded of ${small.length} bytes.`,
    })
    expect((await decode(await plain.png().toBuffer())).width).toBe(5000)
    await expect(decode(pngClaiming(7000, 7000))).rejects.toMatchObject({ reason: 'media-too-complex' })
    await expect(decode(pngClaiming(6900, 6900))).rejects.toMatchObject({ reason: 'media-corrupt' })
  })

  it('does not reveal the path of the file', async () => {
    const jpeg = await noise().jpeg().toBuffer()
    const file = await fileWith(jpeg.subarray(0, 300))
    const error = await decodeImage(file, LIMITS).catch((caught: Error) => caught)
    expect((error as Error).message).toMatch(/cannot be decoded/)
    expect((error as Error).message).not.toContain(path.dirname(file))
  })

  it('a missing file is not called corrupt', async () => {
    await expect(decodeImage(`${await fileWith('')}.gone`, LIMITS)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

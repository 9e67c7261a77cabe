import { describe, expect, it } from 'vitest'
import { decodeImage } from '../../../src/detect/image/image-decode.js'
import { noise, pngChunk, twoFrames } from '../../support/detector-images.js'
import { box, uint32 } from '../../support/iso-boxes.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fileWith = filesForAll()
const decode = async (bytes: Uint8Array) => decodeImage(await fileWith(bytes), { timeoutSeconds: 10 })

/** A PNG with chunks behind its header. */
async function png(...chunks: Buffer[]): Promise<Buffer> {
  const whole = await noise().png().toBuffer()
  return Buffer.concat([whole.subarray(0, 33), ...chunks, whole.subarray(33)])
}

/** The head of an AVIF of 120x80 px with further properties. */
const avif = (...properties: Buffer[]) =>
  Buffer.concat([
    box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf')),
    box('meta', uint32(0), size(120, 80), ...properties),
    Buffer.alloc(100),
  ])
const size = (width: number, height: number) => box('ispe', uint32(0, width, height))
const cutOut = (width: number, height: number) => box('clap', uint32(width, 1, height, 1, 0, 1, 0, 1))
/** BT.2020, and a transfer function. */
const colors = (transfer: number, matrix = 9, primaries = 9) =>
  box('colr', Buffer.from('nclx'), Buffer.from([0, primaries, 0, transfer, 0, matrix, 0]))
const turned = box('irot', Buffer.of(1))
const first = (id: number) => box('pitm', uint32(0), Buffer.of(0, id))
/** A picture refers to others. */
const refers = (how: string, from: number, ...to: number[]) =>
  box('iref', uint32(0), box(how, Buffer.from([from, to.length, ...to].flatMap((id) => [0, id]))))

const gamma = (value: number) => pngChunk('gAMA', uint32(value))
const primaries = (...values: number[]) => pngChunk('cHRM', uint32(31_270, 32_900, ...values))
const coding = (colors: number, transfer: number) => pngChunk('cICP', Buffer.from([colors, transfer, 0, 1]))
const PROFILE = pngChunk('iCCP', Buffer.from('a\0\0packed'))
const SRGB = [64_000, 33_000, 30_000, 60_000, 15_000, 6000]

describe('a PNG', () => {
  it.each([
    ['an animation, of which browsers show other frames than the first', [pngChunk('acTL', uint32(1, 0))]],
    ['a gamma that makes it dark', [gamma(1000)]],
    ['a gamma that makes it bright', [gamma(100_000)]],
    ['a second gamma', [gamma(45_455), gamma(45_455)]],
    ['red, green and blue exchanged', [gamma(45_455), primaries(15_000, 6000, 64_000, 33_000, 30_000, 60_000)]],
    ['the curve of HDR', [coding(9, 16)]],
    ['linear colors', [coding(1, 8)]],
    ['the axes of CIE 1931 for primaries', [coding(10, 13)]],
    ['colors by numbers, which browsers take, and a profile, which is applied here', [coding(1, 13), PROFILE]],
  ])('with %s is refused', async (_, chunks) => {
    await expect(decode(await png(...chunks))).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it.each([
    ['sRGB in all words', [pngChunk('sRGB', Buffer.of(0)), gamma(45_455), primaries(...SRGB)]],
    ['the gamma of an old Mac', [gamma(55_556)]],
    ['the primaries of Adobe RGB', [primaries(64_000, 33_000, 21_000, 71_000, 15_000, 6000)]],
    ['P3 by numbers', [coding(12, 13)]],
    ['texts', [pngChunk('tEXt', Buffer.from('a\0b')), pngChunk('tEXt', Buffer.from('a\0c'))]],
  ])('with %s is decoded as without', async (_, chunks) => {
    expect((await decode(await png(...chunks))).pixels).toEqual((await decode(await png())).pixels)
  })

  it('with a color profile is decoded, unless its checksum is wrong: then browsers ignore it', async () => {
    const whole = await noise().withIccProfile('p3').png().toBuffer()
    expect((await decode(whole)).format).toBe('png')
    const at = whole.indexOf('iCCP')
    const end = at + 4 + whole.readUInt32BE(at - 4)
    whole.writeUInt8((whole[end] as number) ^ 1, end)
    await expect(decode(whole)).rejects.toMatchObject({ reason: 'media-unsupported' })
  })

  it('of thousands of chunks before its pixels is refused', async () => {
    const many = await png(...Array.from({ length: 2000 }, () => pngChunk('tEXt', Buffer.from('a\0b'))))
    await expect(decode(many)).rejects.toMatchObject({ reason: 'media-too-complex' })
  })
})

/** Where the profile of `withProfile` states things, from its first byte on. */
const AT = { version: 8, space: 16, illuminant: 68, tags: 132 }
const withProfile = () => noise().withIccProfile('p3')
const WITHOUT = 'shown without its color profile'

describe('a color profile', () => {
  it.each(['jpeg', 'webp', 'png', 'tiff', 'avif'] as const)(
    'of a usual kind in %s is applied, without another view',
    async (format) => {
      expect((await decode(await withProfile().toFormat(format).toBuffer())).others).toEqual([])
    },
  )

  it.each([
    ['of version 5, which browsers ignore', (profile: Buffer) => profile.writeUInt8(5, AT.version)],
    ['of another kind of color', (profile: Buffer) => profile.write('GRAY', AT.space)],
    ['of another light', (profile: Buffer) => profile.writeUInt32BE(0x10000, AT.illuminant)],
    ['with a table', (profile: Buffer) => profile.write('D2B0', AT.tags)],
    ['with a part outside of it', (profile: Buffer) => profile.writeUInt32BE(0xffff, AT.tags + 4)],
    ['with two parts of one name', (profile: Buffer) => profile.copyWithin(AT.tags, AT.tags + 12, AT.tags + 16)],
    ['with a curve that turns', (profile: Buffer) => profile.writeInt32BE(-1, profile.indexOf('para') + 12)],
  ])('%s is judged with and without it', async (_, change) => {
    const whole = await withProfile().webp().toBuffer()
    change(whole.subarray(whole.indexOf('acsp') - 36))
    expect((await decode(whole)).others).toMatchObject([{ name: WITHOUT }])
  })

  it.each([
    ['behind a byte that fills', (app2: Buffer) => [Buffer.of(0xff), app2]],
    ['after another one', (app2: Buffer) => [app2, app2]],
    ['in two parts', (app2: Buffer) => [part(app2, 0, 4, 1), part(app2, 4, Number.POSITIVE_INFINITY, 2)]],
  ])('%s in a JPEG is judged with and without it', async (_, lay) => {
    const whole = await withProfile().jpeg().toBuffer()
    const start = whole.indexOf('ICC_PROFILE') - 4
    const end = start + 2 + whole.readUInt16BE(start + 2)
    const laid = Buffer.concat([whole.subarray(0, start), ...lay(whole.subarray(start, end)), whole.subarray(end)])
    const { others, pixels } = await decode(laid)
    expect(others).toMatchObject([{ name: WITHOUT }])
    expect((await others[0]?.decode())?.pixels.equals(pixels)).toBe(false)
  })
})

/** A piece of the profile in an APP2 segment, which has 18 bytes before it: marker, length, name, number of the part, number of parts. */
function part(app2: Buffer, from: number, to: number, number: number): Buffer {
  const content = Buffer.concat([Buffer.from('ICC_PROFILE\0'), Buffer.of(number, 2), app2.subarray(18 + from, 18 + to)])
  const head = Buffer.of(0xff, 0xe2, 0, 0)
  head.writeUInt16BE(2 + content.length, 2)
  return Buffer.concat([head, content])
}

it.each<[string, string, Buffer | Buffer[], string]>([
  ['of the curve of HDR', 'refused', colors(16), 'media-unsupported'],
  ['of linear colors', 'refused', colors(8), 'media-unsupported'],
  ['of primaries that no screen has', 'refused', colors(1, 9, 10), 'media-unsupported'],
  ['of a matrix that libheif does not apply', 'refused', colors(1, 10), 'media-unsupported'],
  ['that shows a piece of itself', 'refused', cutOut(60, 40), 'media-unsupported'],
  ['that shows a piece, as large as another picture', 'refused', [cutOut(60, 40), size(60, 40)], 'media-unsupported'],
  ['that is turned twice', 'refused', [turned, turned], 'media-unsupported'],
  ['that is turned and mirrored', 'refused', [turned, box('imir', Buffer.of(0))], 'media-unsupported'],
  ['of premultiplied colors', 'refused', refers('prem', 1, 2), 'media-unsupported'],
  ['whose first picture is a thumbnail', 'refused', [first(2), refers('thmb', 2, 1)], 'media-unsupported'],
  ['whose first picture is a mask', 'refused', [first(2), refers('auxl', 2, 1)], 'media-unsupported'],
  ['whose first picture is a tile', 'refused', [first(3), refers('dimg', 1, 2, 3)], 'media-unsupported'],
  ['with two first pictures', 'refused', [first(1), first(2)], 'media-unsupported'],
  // These have no pixels, which the decoder finds out.
  ['of the curve of television', 'decoded', colors(1), 'media-corrupt'],
  ['that hides one pixel a side', 'decoded', cutOut(119, 79), 'media-corrupt'],
  ['that is turned', 'decoded', turned, 'media-corrupt'],
  [
    'with thumbnail, mask and tiles',
    'decoded',
    [first(1), refers('thmb', 2, 1), refers('dimg', 1, 3)],
    'media-corrupt',
  ],
])('an AVIF %s is %s', async (_, __, property, reason) => {
  await expect(decode(avif(...[property].flat()))).rejects.toMatchObject({ reason })
})

it('an AVIF that is an animation is refused', async () => {
  const moving = Buffer.concat([avif().subarray(0, -100), box('moov', uint32(0))])
  await expect(decode(moving)).rejects.toMatchObject({ reason: 'media-unsupported' })
})

describe('the coded pictures of an AVIF', () => {
  const part = (whole: Buffer, name: string) => {
    const at = whole.indexOf(name) - 4
    return whole.subarray(at, at + whole.readUInt32BE(at))
  }
  const coded = (id: number) => box('infe', uint32(0x02000000), Buffer.of(0, id, 0, 0), 'av01\0')
  const noisy = async () => {
    const whole = await noise().avif().toBuffer()
    return { whole, pixels: part(whole, 'mdat').subarray(8) }
  }

  /** @param items the first is shown; each a list of the places of its pieces in `pixels` */
  const withItems = (
    whole: Buffer,
    pixels: Buffer,
    items: (readonly (readonly [from: number, length: number])[])[],
    shown = 1,
  ) => {
    const meta = (at: number) => {
      const places = items.flatMap((pieces, nth) => [
        Buffer.of(0, nth + 1, 0, 0, 0, pieces.length),
        ...pieces.map(([from, length]) => uint32(at + from, length)),
      ])
      const properties = items.flatMap((_, nth) => [0, nth + 1, 3, 0x81, 2, 3])
      return box(
        'meta',
        uint32(0),
        part(whole, 'hdlr'),
        first(shown),
        box('iloc', uint32(0), Buffer.of(0x44, 0, 0, items.length), ...places),
        box('iinf', uint32(0), Buffer.of(0, items.length), ...items.map((_, nth) => coded(nth + 1))),
        box('iprp', part(whole, 'ipco'), box('ipma', uint32(0, items.length), Buffer.from(properties))),
      )
    }
    const front = part(whole, 'ftyp').length + meta(0).length + 8
    return Buffer.concat([part(whole, 'ftyp'), meta(front), box('mdat', pixels)])
  }

  it('may lie in pieces', async () => {
    const { pixels, whole } = await noisy()
    const pieces = [[0, 40] as const, [40, pixels.length - 40] as const]
    expect(await decode(withItems(whole, pixels, [pieces]))).toMatchObject({ width: 120, height: 80 })
  })

  it('are refused where there are two, of which browsers show the one that is named, libvips the first', async () => {
    const { pixels, whole } = await noisy()
    const all = [[0, pixels.length] as const]
    await expect(decode(withItems(whole, pixels, [all, all], 2))).rejects.toThrow('several pictures')
  })

  it('are refused where one has two frames, of which programs differ in which they show', async () => {
    const { pixels, whole } = await noisy()
    const twice = Buffer.concat([pixels, pixels])
    const halves = [[0, pixels.length] as const, [pixels.length, pixels.length] as const]
    for (const pieces of [[[0, twice.length] as const], halves])
      await expect(decode(withItems(whole, twice, [pieces]))).rejects.toThrow('is not coded as one frame')
  })

  it('are refused where their places are stated twice, as many times the same, or for items of long numbers', async () => {
    const { pixels, whole } = await noisy()
    const piece = [0, pixels.length] as const
    const file = withItems(whole, pixels, [[piece]])
    const lists = Buffer.concat([file.subarray(0, -pixels.length - 8), box('iloc', uint32(0, 0))])
    lists.writeUInt32BE(part(file, 'meta').length + 16, file.indexOf('meta') - 4)
    const long = Buffer.from(file)
    long[long.indexOf('infe') + 4] = 3
    const stated = Buffer.concat([lists, file.subarray(-pixels.length - 8)])
    for (const hostile of [stated, withItems(whole, pixels, [Array.from({ length: 16 }, () => piece)]), long])
      await expect(decode(hostile)).rejects.toThrow('is not coded as one frame')
  })
})

describe('the orientation of a JPEG', () => {
  const turnedAs = async (type: number, count: number, bytes: Buffer) => {
    const whole = await noise().jpeg().toBuffer()
    const entry = Buffer.concat([Buffer.of(1, 0x12, 0, type), uint32(count), bytes])
    const content = Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01'), entry, uint32(0)])
    const head = Buffer.of(0xff, 0xe1, 0, 2 + content.length)
    return decode(Buffer.concat([whole.subarray(0, 2), head, content, whole.subarray(2)]))
  }

  it('is applied', async () => {
    const { height, others, width } = await turnedAs(3, 1, Buffer.of(0, 6, 0, 0))
    expect([width, height, others]).toEqual([80, 120, []])
  })

  it.each([
    ['32 bits', 4, 1, uint32(6)],
    ['8 bits', 1, 1, Buffer.of(6, 0, 0, 0)],
    ['several numbers', 3, 2, Buffer.of(0, 6, 0, 1)],
  ])('in %s, which browsers ignore, is judged with and without it', async (_, type, count, bytes) => {
    expect((await turnedAs(type, count, bytes)).others).toMatchObject([{ name: 'not turned' }])
  })
})

it('the other pages of a TIFF are judged, too', async () => {
  const { frames, others } = await decode(await twoFrames().tiff().toBuffer())
  expect([frames, others.map(({ name }) => name)]).toEqual([2, ['frame 2 of 2']])
})

import { describe, expect, it } from 'vitest'
import { decodeImage } from '../../../src/detect/image/image-decode.js'
import { noise, pngChunk } from '../../support/detector-images.js'
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
    box('meta', uint32(0), box('ispe', uint32(0, 120, 80)), ...properties),
    Buffer.alloc(100),
  ])
const cutOut = (width: number, height: number) => box('clap', uint32(width, 1, height, 1, 0, 1, 0, 1))
/** BT.2020, and a transfer function. */
const colors = (transfer: number) => box('colr', Buffer.from('nclx'), Buffer.from([0, 9, 0, transfer, 0, 9, 0]))

const gamma = (value: number) => pngChunk('gAMA', uint32(value))
const primaries = (...values: number[]) => pngChunk('cHRM', uint32(31_270, 32_900, ...values))
const coding = (colors: number, transfer: number) => pngChunk('cICP', Buffer.from([colors, transfer, 0, 1]))
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

it.each([
  ['of the curve of HDR', 'refused', colors(16), 'media-unsupported'],
  ['of linear colors', 'refused', colors(8), 'media-unsupported'],
  ['that shows a piece of itself', 'refused', cutOut(60, 40), 'media-unsupported'],
  // These have no pixels, which the decoder finds out.
  ['of the curve of television', 'decoded', colors(1), 'media-corrupt'],
  ['that hides one pixel a side', 'decoded', cutOut(119, 79), 'media-corrupt'],
])('an AVIF %s is %s', async (_, __, property, reason) => {
  await expect(decode(avif(property))).rejects.toMatchObject({ reason })
})

import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { MEDIA_TYPES } from '../../src/core/media-types.js'
import { expectedClass, matchesMediaType, mediaTypeOf, SNIFF_BYTES, sniff } from '../../src/formats/sniff.js'
import { someBytes } from '../media/support/dag.js'

describe('sniff', () => {
  const pixels = { create: { width: 8, height: 8, channels: 3, background: 'red' } } as const
  const mp4 = Buffer.concat([
    Buffer.from('0000001866747970', 'hex'),
    Buffer.from('isom\0\0\0\0isommp42'),
    Buffer.alloc(100),
  ])
  const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt '), Buffer.alloc(100)])
  const umlauts = Buffer.from('ä'.repeat(3000))

  const samples: [name: string, bytes: () => Promise<Uint8Array> | Uint8Array, kind: string][] = [
    ['JPEG', () => sharp(pixels).jpeg().toBuffer(), 'image'],
    ['PNG', () => sharp(pixels).png().toBuffer(), 'image'],
    ['WebP', () => sharp(pixels).webp().toBuffer(), 'image'],
    ['AVIF', () => sharp(pixels).avif().toBuffer(), 'image'],
    ['GIF', () => sharp(pixels).gif().toBuffer(), 'image'],
    ['MP4', () => mp4, 'video'],
    ['WAV', () => wav, 'audio'],
    [
      'MP3',
      () => Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0'), Buffer.from('fffb9064', 'hex'), Buffer.alloc(500)]),
      'audio',
    ],
    ['plain text', () => Buffer.from('Grüße, 世界\n'), 'text'],
    ['text whose sample ends inside a character', () => Buffer.concat([Buffer.from('x'), umlauts]), 'text'],
    ['JSON', () => Buffer.from('{"a": 1}'), 'text'],
    ['XML', () => Buffer.from('<?xml version="1.0"?><svg/>'), 'text'],
    ['text that ends inside a character', () => umlauts.subarray(0, 101), 'unknown'],
    ['text with NUL', () => Buffer.from('a\0b'), 'unknown'],
    ['Latin-1', () => Buffer.from('Grüße', 'latin1'), 'unknown'],
    ['noise', () => someBytes(5000), 'unknown'],
    ['nothing', () => new Uint8Array(), 'unknown'],
    ['PDF', () => Buffer.from('%PDF-1.7\n%%EOF'), 'unknown'],
    ['ZIP', () => Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)]), 'unknown'],
  ]
  it.each(samples)('%s', async (_, bytes, kind) => {
    expect((await sniff(await bytes())).class).toBe(kind)
  })

  it('reads the beginning only', async () => {
    const bytes = Buffer.concat([await sharp(pixels).png().toBuffer(), Buffer.alloc(10_000)])
    expect(await sniff(bytes)).toEqual({ class: 'image', mime: 'image/png' })
  })

  it('compares by class, with sound and pictures in containers that hold both', async () => {
    expect(MEDIA_TYPES.map(expectedClass)).toEqual(['image', 'audio', 'video', 'video', 'text'])
    const passes = async (bytes: Uint8Array) => {
      const sniffed = await sniff(bytes)
      return MEDIA_TYPES.filter((mediaType) => matchesMediaType(sniffed, mediaType))
    }
    expect(await passes(mp4)).toEqual(['audio', 'video_short', 'video_long'])
    expect(await passes(wav)).toEqual(['audio'])
    expect(await passes(await sharp(pixels).png().toBuffer())).toEqual(['image'])
    expect(await passes(Buffer.from('text'))).toEqual(['text'])
    expect(await passes(someBytes(100))).toEqual([])
  })

  it.each([
    ['image', 'image'],
    ['audio', 'audio'],
    ['video', 'video_short'],
    ['text', 'text'],
    ['unknown', null],
  ] as const)('scores bytes of class %s without a declared kind as %s', (found, mediaType) => {
    expect(mediaTypeOf({ class: found, mime: null })).toBe(mediaType)
  })

  it('treats a character as cut only where the sample ends by its size', async () => {
    const text = (bytes: number) => Buffer.from('ä'.repeat(SNIFF_BYTES)).subarray(1, 1 + bytes)
    const whole = Buffer.from(`x${'ä'.repeat(SNIFF_BYTES)}`)
    expect((await sniff(whole.subarray(0, SNIFF_BYTES))).class).toBe('text')
    expect((await sniff(whole.subarray(0, SNIFF_BYTES - 2))).class).toBe('unknown')
    expect((await sniff(text(SNIFF_BYTES))).class).toBe('unknown')
  })

  it('ignores what lies after its sample', async () => {
    const bytes = Buffer.concat([Buffer.alloc(SNIFF_BYTES, 'a'), Buffer.alloc(10)])
    expect((await sniff(bytes)).class).toBe('text')
    expect((await sniff(bytes.subarray(1))).class).toBe('unknown')
  })

  it('accepts bytes of an unknown kind as no kind, and a known kind only in containers of both', () => {
    const all = (mime: string | null, found: 'unknown' | 'image' | 'video') =>
      MEDIA_TYPES.filter((mediaType) => matchesMediaType({ class: found, mime }, mediaType))
    expect(all(null, 'unknown')).toEqual([])
    expect(all('application/pdf', 'unknown')).toEqual([])
    expect(all('video/mpeg', 'video')).toEqual(['video_short', 'video_long'])
    expect(all('video/webm', 'video')).toEqual(['audio', 'video_short', 'video_long'])
    expect(all('image/png', 'image')).toEqual(['image'])
  })
})

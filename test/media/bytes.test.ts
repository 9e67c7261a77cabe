import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { keccak_256 } from '@noble/hashes/sha3.js'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { MEDIA_TYPES } from '../../src/core/media-types.js'
import { createContentHasher } from '../../src/media/content-hash.js'
import { expectedClass, matchesMediaType, sniff } from '../../src/media/sniff.js'
import { spool } from '../../src/media/spool.js'
import { someBytes } from './support/dag.js'
import { failure, temporaryFolder } from './support/media-parts.js'

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('createContentHasher', () => {
  it('gives the published digests of the empty text', () => {
    expect(createContentHasher('sha256').digest()).toBe(
      '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    )
    expect(createContentHasher('keccak256').digest()).toBe(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    )
  })

  it.each([1, 1000, 65_536, 65_537, 1_000_000])('does not depend on chunks of %i bytes', async (size) => {
    const bytes = someBytes(300_000)
    const expected = {
      sha256: createHash('sha256').update(bytes).digest('hex'),
      keccak256: Buffer.from(keccak_256(bytes)).toString('hex'),
    }
    for (const algorithm of ['sha256', 'keccak256'] as const) {
      const hasher = createContentHasher(algorithm)
      for await (const chunk of chunksOf(bytes, size)) await hasher.update(chunk)
      expect(hasher.digest()).toBe(`0x${expected[algorithm]}`)
    }
  })

  it('gives the event loop its turns while it hashes a large chunk', async () => {
    let turns = 0
    let done = false
    const count = () => {
      turns += 1
      if (!done) setImmediate(count)
    }
    setImmediate(count)
    await createContentHasher('keccak256').update(new Uint8Array(1_048_576))
    done = true
    expect(turns).toBeGreaterThanOrEqual(15)
  })
})

describe('spool', () => {
  const limits = { algorithm: 'sha256', maxBytes: 1000 } as const

  it('removes the file when the stream fails, is empty or too large', async () => {
    const folder = await temporaryFolder()
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield someBytes(10)
      throw new Error('cut')
    }
    const file = path.join(folder, 'spooled')
    expect((await failure(spool(broken(), file, limits))).message).toBe('cut')
    expect((await failure(spool(chunksOf(new Uint8Array(), 1), file, limits))).reason).toBe('media-empty')
    expect((await failure(spool(chunksOf(someBytes(1001), 100), file, limits))).reason).toBe('media-too-large')
    expect(await fs.readdir(folder)).toEqual([])
    expect(await spool(chunksOf(someBytes(1000), 100), file, limits)).toMatchObject({ bytes: 1000 })
  })

  it.runIf(process.platform === 'linux')('names a full disk', async () => {
    const link = path.join(await temporaryFolder(), 'full')
    await fs.symlink('/dev/full', link)
    const error = await failure(spool(chunksOf(someBytes(100), 100), link, limits))
    expect(error).toMatchObject({ reason: 'media-cache-failed', facts: { code: 'ENOSPC' } })
  })
})

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

  it('looks at the beginning alone', async () => {
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
})

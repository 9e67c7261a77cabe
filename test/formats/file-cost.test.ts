import sharp, { type Sharp } from 'sharp'
import { describe, expect, it } from 'vitest'
import { packagePath } from '../../src/core/files.js'
import { isCostlyFile, statedPixels } from '../../src/formats/file-cost.js'
import { statedSeconds } from '../../src/formats/sound-length.js'
import { silentFlac } from '../support/silent-flac.js'
import { filesForAll } from '../support/temporary-folder.js'
import { rawWav } from '../support/wav-file.js'

const place = filesForAll()
const fixture = (name: string) => packagePath('test', 'fixtures', 'audio', name)
const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#789' } })

describe('pixels by the header', () => {
  it.each([
    ['PNG', (image: Sharp) => image.png()],
    ['JPEG', (image: Sharp) => image.jpeg()],
    ['JPEG behind a profile', (image: Sharp) => image.withIccProfile('srgb').jpeg()],
    ['progressive JPEG', (image: Sharp) => image.jpeg({ progressive: true })],
    ['WebP', (image: Sharp) => image.webp()],
    ['lossless WebP', (image: Sharp) => image.webp({ lossless: true })],
    ['WebP with a profile', (image: Sharp) => image.withIccProfile('srgb').webp()],
    ['GIF', (image: Sharp) => image.gif()],
    ['AVIF', (image: Sharp) => image.avif({ effort: 0 })],
  ])('%s', async (_, encode) => {
    expect(await statedPixels(await place(await encode(picture(301, 407)).toBuffer()))).toBe(301 * 407)
  })

  it('are not found in other bytes', async () => {
    for (const bytes of ['', 'GIF', 'words '.repeat(100), '\u00ff\u00d8 no segment and none behind it, not a JPEG'])
      expect(await statedPixels(await place(Buffer.from(bytes, 'latin1')))).toBeNull()
  })
})

describe('seconds by the header', () => {
  it.each([
    ['speech.flac', 1],
    ['speech-opus.ogg', 2],
    ['speech-vorbis.ogg', 2],
    ['speech-flac.ogg', 1],
  ])('%s', async (name, seconds) => {
    const stated = await statedSeconds(fixture(name))
    expect(Math.abs((stated ?? 0) - seconds)).toBeLessThan(1)
  })

  it('WAVE, by its bytes', async () => {
    const wav = rawWav(Buffer.alloc(8000 * 70), { rate: 8000, tag: 1, bytes: 1 })
    expect(await statedSeconds(await place(wav))).toBeCloseTo(70, 1)
  })

  it('are not found in other bytes', async () => {
    for (const bytes of ['', 'OggS', 'fLaC', 'RIFF1234WAVEfmt '])
      expect(await statedSeconds(await place(Buffer.from(bytes)))).toBeNull()
    expect(await statedSeconds(fixture('speech.mp3'))).toBeNull()
  })
})

describe('costly files', () => {
  it('are pictures over 24 megapixels, and those of unknown size', async () => {
    expect(await isCostlyFile(await place(await picture(5000, 4800).png().toBuffer()), 'image')).toBe(false)
    expect(await isCostlyFile(await place(await picture(5000, 4801).png().toBuffer()), 'image')).toBe(true)
    expect(await isCostlyFile(await place(Buffer.alloc(100)), 'image')).toBe(true)
  })

  it('are recordings over half a minute, and large ones of unknown length', async () => {
    expect(await isCostlyFile(await place(silentFlac(21)), 'audio')).toBe(false)
    expect(await isCostlyFile(await place(silentFlac(23)), 'audio')).toBe(true)
    expect(await isCostlyFile(fixture('speech.mp3'), 'audio')).toBe(false)
    expect(await isCostlyFile(await place(Buffer.alloc(480_001)), 'audio')).toBe(true)
  })

  it('are all videos, and no text', async () => {
    expect(await isCostlyFile(fixture('speech.mp3'), 'video_short')).toBe(true)
    expect(await isCostlyFile(fixture('speech.mp3'), 'text')).toBe(false)
  })
})

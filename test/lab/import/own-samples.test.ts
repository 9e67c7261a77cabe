import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEFAULT_MIN_CHARACTERS } from '../../../src/detect/package/preprocessing.js'
import { sniff } from '../../../src/formats/sniff.js'
import { SAMPLE_TEXT, samplePicture, sampleVoice } from '../../../src/lab/import/own-samples.js'

let folder: string
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'attestd-samples-'))
})
afterAll(() => fs.rm(folder, { recursive: true }))

describe('our own samples', () => {
  it('are a picture that every decoder reads, with something to see on it', async () => {
    const picture = samplePicture()
    const file = path.join(folder, 'picture.png')
    await fs.writeFile(file, picture)
    const { channels, format, height, width } = await sharp(file).metadata()
    expect({ channels, format, height, width }).toEqual({ channels: 3, format: 'png', height: 384, width: 384 })
    const stats = await sharp(file).stats()
    expect(Math.min(...stats.channels.map(({ stdev }) => stdev))).toBeGreaterThan(20)
    expect(samplePicture().equals(picture)).toBe(true)
  })

  it('are a voice of five seconds in a WAV whose sizes are right', async () => {
    const voice = sampleVoice()
    expect((await sniff(voice)).class).toBe('audio')
    expect(voice.readUInt32LE(4)).toBe(voice.length - 8)
    expect(voice.readUInt32LE(40)).toBe(5 * 16_000 * 2)
    expect(voice).toHaveLength(44 + 5 * 16_000 * 2)
    const samples = Array.from({ length: 5 * 16_000 }, (_, at) => voice.readInt16LE(44 + 2 * at))
    expect(Math.max(...samples.map(Math.abs))).toBe(20_000)
    expect(samples.filter((each) => Math.abs(each) < 200).length).toBeGreaterThan(8000)
  })

  it('are a text that is long enough to be scored', () => {
    expect(SAMPLE_TEXT.length).toBeGreaterThan(DEFAULT_MIN_CHARACTERS)
    expect(SAMPLE_TEXT).not.toMatch(/[^\x20-\x7e\n]/)
  })
})

import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { packagePath } from '../../../src/core/files.js'
import { writeView } from '../../../src/detect/child/view.js'
import { folderForEach } from '../../support/temporary-folder.js'
import { unwatched } from '../../support/unwatched-parsers.js'

const folder = folderForEach()

const tools = { timeoutSeconds: 60, ffmpeg: null, clock: systemClock, parsers: unwatched }

async function viewOf(file: string, mediaType: Parameters<typeof writeView>[1]['mediaType']): Promise<Buffer> {
  const out = path.join(folder, 'out')
  await writeView(file, { mediaType, out }, tools)
  return fs.readFile(out)
}

describe('the preview of a file', () => {
  it('is a picture of its pixels only, at most 1280 px wide and high', async () => {
    const file = path.join(folder, 'in.jpg')
    const { width } = await sharp({ create: { width: 2000, height: 500, channels: 3, background: '#c86432' } })
      .jpeg()
      .withExif({ IFD0: { Copyright: 'a secret of the file' } })
      .toFile(file)
    expect(width).toBe(2000)
    const view = await viewOf(file, 'image')
    expect(await sharp(view).metadata()).toMatchObject({ format: 'jpeg', width: 1280, height: 320 })
    expect((await fs.readFile(file)).includes('a secret of the file')).toBe(true)
    expect(view.includes('a secret of the file')).toBe(false)
  })

  it('is sound as 16 bit mono', async () => {
    const view = await viewOf(packagePath('models', 'attestd-audio', 'selftest.wav'), 'audio')
    expect(view.toString('latin1', 0, 4)).toBe('RIFF')
    expect(view.readUInt32LE(4)).toBe(view.length - 8)
    expect(view.readUInt16LE(22)).toBe(1)
    expect(view.length).toBeGreaterThan(10_000)
  })

  it('is text, capped', async () => {
    const file = path.join(folder, 'in.txt')
    await fs.writeFile(file, 'Words of a text. '.repeat(5000))
    const view = String(await viewOf(file, 'text'))
    expect(view).toHaveLength(20_000)
    expect(view).toMatch(/^Words of a text\. .*…$/s)
  })

  it('is frames of a video on one sheet', async () => {
    const view = await viewOf(packagePath('test', 'fixtures', 'video', 'vp8.webm'), 'video_short')
    expect(await sharp(view).metadata()).toMatchObject({ format: 'jpeg', width: 1260 })
  })
})

import fs from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/clock.js'
import { makeThumbnails } from '../../../src/lab/report/thumbnails.js'
import { folderForAll } from '../../support/temporary-folder.js'

const folder = folderForAll()

const decoding = { clock: systemClock, ffmpeg: null, timeoutMs: 60_000, memoryBytes: 2 ** 30 }

describe('thumbnails', () => {
  it('are small JPEG pictures; a file that cannot be decoded is left out', async () => {
    const write = async (name: string, data: Uint8Array | string) => {
      await fs.writeFile(path.join(folder, name), data)
      return path.join(folder, name)
    }
    const large = { create: { width: 900, height: 300, channels: 3, background: 'red' } } as const
    const small = { create: { width: 20, height: 30, channels: 3, background: 'blue' } } as const
    const files = new Map([
      ['text', await write('t.png', 'no picture')],
      ['large', await write('l.png', await sharp(large).png().toBuffer())],
      ['absent', path.join(folder, 'absent.png')],
      ['small', await write('s.png', await sharp(small).png().toBuffer())],
    ])
    const made = await makeThumbnails(files, { ...decoding, signal: new AbortController().signal })
    expect([...made.keys()]).toEqual(['large', 'small'])
    const sizes = [...made.values()].map(async (url) => {
      const { format, height, width } = await sharp(
        Buffer.from(url.replace('data:image/jpeg;base64,', ''), 'base64'),
      ).metadata()
      return [format, width, height]
    })
    expect(await Promise.all(sizes)).toEqual([
      ['jpeg', 280, 93],
      ['jpeg', 20, 30],
    ])
  })

  it('are empty after an interruption', async () => {
    const stopped = makeThumbnails(new Map([['a', '/a']]), { ...decoding, signal: AbortSignal.abort() })
    await expect(stopped).rejects.toMatchObject({ reason: 'draining' })
  })
})

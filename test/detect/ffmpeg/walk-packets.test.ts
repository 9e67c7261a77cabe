import fs from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { walkPackets } from '../../../src/detect/ffmpeg/walk-packets.js'
import { ffmpeg, make } from '../../support/ffmpeg-tool.js'
import { folderForTest } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

const PICTURES = ['-f', 'lavfi', '-t', '3', '-i', 'testsrc=s=64x64:r=25']
const SOUND = ['-f', 'lavfi', '-t', '2', '-i', 'sine']

async function made(name: string, ...args: string[]): Promise<string> {
  const file = path.join(await folderForTest(), name)
  await make(...args, file)
  return file
}

describe.runIf(ffmpeg)('a walk over the packets of a file', () => {
  const program = ffmpeg as string

  it.each([
    ['a.ts', 'libx264', 'aac'],
    ['a.avi', 'mpeg4', 'mp3'],
    ['a.mpg', 'mpeg2video', 'mp2'],
    ['a.flv', 'flv', 'mp3'],
    ['a.wmv', 'wmv2', 'wmav2'],
    ['a.ogv', 'libtheora', 'libvorbis'],
  ])('gives the lengths of both tracks of %s', async (name, pictures, sound) => {
    const file = await made(name, ...PICTURES, ...SOUND, '-c:v', pictures, '-c:a', sound, '-ar', '44100')
    const walk = await walkPackets(program, file)
    expect(walk.pictures).toMatchObject({ packets: 75 })
    expect(Math.abs(walk.pictures!.seconds - 3)).toBeLessThan(0.2)
    expect(Math.abs(walk.sound!.seconds - 2)).toBeLessThan(0.2)
  })

  it('gives the one track of a file that has one, and refuses one with none', async () => {
    expect(await walkPackets(program, await made('a.ts', ...SOUND))).toMatchObject({ pictures: null, sound: {} })
    expect(await walkPackets(program, await made('b.ts', ...PICTURES))).toMatchObject({ pictures: {}, sound: null })
    const none = await made(
      'c.mkv',
      ...SOUND,
      '-map',
      '0',
      '-attach',
      import.meta.filename,
      '-metadata:s:t',
      'mimetype=a/b',
    )
    const walk = walkPackets(program, none, 'ogg')
    await expect(walk).rejects.toThrow(withReason('media-corrupt', 'could not decode'))
  })

  it('is made once for all that ask for the same file', async () => {
    const folder = await folderForTest()
    // A folder for each start: files cannot be written in its cage.
    const counted = path.join(folder, 'ffmpeg')
    await fs.writeFile(counted, `#!/bin/sh\n/bin/mkdir '${folder}'/run$$\nexec ${program} "$@"\n`, { mode: 0o755 })
    const runs = async () => (await fs.readdir(folder)).filter((name) => name.startsWith('run')).length
    const [file, other] = [await made('a.ts', ...SOUND), await made('b.ts', ...SOUND)]
    const [first] = [await walkPackets(counted, file, 'mpegts'), await walkPackets(counted, file, 'mpegts')]
    expect(await runs()).toBe(1)
    await walkPackets(counted, other, 'mpegts')
    expect(await runs()).toBe(2)
    await fs.appendFile(other, await fs.readFile(other))
    expect((await walkPackets(counted, other, 'mpegts')).sound!.packets).toBe(2 * first!.sound!.packets)
  })
})

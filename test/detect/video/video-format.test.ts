import { describe, expect, it } from 'vitest'
import { sniffVideoFormat } from '../../../src/detect/video/video-format.js'
import { filesForAll } from '../../support/temporary-folder.js'

const fileWith = filesForAll()

describe('sniffVideoFormat', () => {
  const ftyp = (brand: string) => Buffer.from(`\0\0\0\u0018ftyp${brand}\0\0\0\0${brand}mp42`, 'latin1')
  const cases: [string, Buffer, string, string | null][] = [
    ['an MP4', ftyp('isom'), 'mp4', 'mov'],
    ['a QuickTime', ftyp('qt  '), 'quicktime', 'mov'],
    ['a phone clip', ftyp('3gp4'), '3gp', 'mov'],
    ['an AVI', Buffer.from('RIFF\x10\0\0\0AVI LIST', 'latin1'), 'avi', 'avi'],
    ['a Flash video', Buffer.from('FLV\x01\x05\0\0\0\x09', 'latin1'), 'flv', 'flv'],
    ['a program stream', Buffer.from('000001ba44000400', 'hex'), 'mpeg', 'mpeg'],
  ]
  it.each(cases)('%s by its first bytes, whatever its name', async (_, head, name, demuxer) => {
    const file = await fileWith(Buffer.concat([head, Buffer.alloc(200)]), 'clip.webm')
    expect(await sniffVideoFormat(file)).toMatchObject({ name, demuxer })
  })

  it.each([
    ['no bytes', Buffer.alloc(0), 'media-empty'],
    ['bytes of no format', Buffer.from('00ff13370badcafe00ff', 'hex'), 'media-unsupported'],
    ['an HLS playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n'), 'media-type-mismatch'],
    ['prose', Buffer.from('This is no video at all.'), 'media-type-mismatch'],
    ['a sound', Buffer.from('fLaC\0\0\0\x22', 'latin1'), 'media-type-mismatch'],
    ['a picture', Buffer.from('ffd8ffe000104a464946000101', 'hex'), 'media-type-mismatch'],
  ])('refuses %s', async (_, bytes, reason) => {
    await expect(sniffVideoFormat(await fileWith(bytes, 'clip.mp4'))).rejects.toMatchObject({ reason })
  })
})

import { describe, expect, it } from 'vitest'
import { sniffImageFormat } from '../../../src/detect/image/image-format.js'
import { isoMedia } from '../../support/detector-images.js'
import { filesForAll } from '../../support/temporary-folder.js'
import { withReason } from '../../support/with-reason.js'

describe('sniffImageFormat', () => {
  const fileWith = filesForAll()
  const formatOf = async (bytes: Buffer) => sniffImageFormat(await fileWith(bytes, 'picture.png'))

  it.each(['49492a0008000000', '4d4d002a00000008', '49492b0008000000', '4d4d002b00080000'])(
    'a TIFF of either byte order, big ones too: %s',
    async (hex) => {
      expect(await formatOf(Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(100)]))).toBe('tiff')
    },
  )

  it.each([
    ['SVG', Buffer.from('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">'), 'media-unsupported', /svg/],
    ['SVG without a head', Buffer.from('<svg>'), 'media-unsupported', /svg/],
    [
      'a page that names one',
      Buffer.from('<html><body>svgs and <svgx></body></html>'),
      'media-type-mismatch',
      /bytes are/,
    ],
    ['a Canon raw', Buffer.from('49492a0010000000435202000000', 'hex'), 'media-unsupported', /cr2/],
    ['an icon', Buffer.from('00000100010010100000010020006804', 'hex'), 'media-unsupported', /not supported/],
    ['HEIC', isoMedia('heic'), 'media-unsupported', /heic/],
    ['a video', isoMedia('isom'), 'media-type-mismatch', /mp4/],
    ['a document', Buffer.from('%PDF-1.7\n1 0 obj\n'), 'media-type-mismatch', /pdf/],
    ['nothing', Buffer.alloc(0), 'media-empty', /./],
    ['a sound', Buffer.from('fLaC\0\0\0\x22', 'latin1'), 'media-type-mismatch', /flac/],
  ])('refuses %s', async (_, bytes, reason, message) => {
    await expect(formatOf(bytes)).rejects.toThrow(withReason(reason, message))
  })
})

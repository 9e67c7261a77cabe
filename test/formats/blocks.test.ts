import { describe, expect, it } from 'vitest'
import { walkOf } from '../../src/formats/blocks.js'
import { withFileBytes } from '../../src/formats/file-bytes.js'
import { pngChunk } from '../support/detector-images.js'
import { box } from '../support/iso-boxes.js'
import { filesForAll } from '../support/temporary-folder.js'
import { riffChunk } from '../support/wav-file.js'

const fileWith = filesForAll()

/** Type and content of every block, as far as the file holds it. */
async function blocksOf(mime: string, bytes: Buffer, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  return withFileBytes(await fileWith(bytes), async (opened) => {
    const found: string[] = []
    for (const { type, offset, length } of walkOf(mime)?.(opened) ?? []) {
      found.push(`${type}:${(await opened.read(offset, Math.min(length, 40))).toString('latin1')}`)
      if (found.length === most) break
    }
    return found
  })
}

describe('PNG', () => {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')

  it.each(['image/png', 'image/apng'])(
    '%s: chunks to the end of the file, including those after the last one',
    async (mime) => {
      const png = Buffer.concat([signature, pngChunk('tEXt', Buffer.from('abc')), pngChunk('IEND', Buffer.alloc(0))])
      expect(await blocksOf(mime, Buffer.concat([png, pngChunk('caBX', Buffer.from('x'))]))).toEqual([
        'tEXt:abc',
        'IEND:',
        'caBX:x',
      ])
    },
  )

  it('ends where a chunk states more than the file has, after reporting it', async () => {
    const long = Buffer.from('fffffff074455874616263', 'hex')
    expect(await blocksOf('image/png', Buffer.concat([signature, long, Buffer.alloc(8)]))).toHaveLength(1)
  })

  it('drops a chunk with an incomplete header', async () => {
    const whole = Buffer.concat([signature, pngChunk('tEXt', Buffer.alloc(0))])
    expect(await blocksOf('image/png', whole)).toEqual(['tEXt:'])
    expect(await blocksOf('image/png', whole.subarray(0, -1))).toEqual([])
  })
})

describe('JPEG', () => {
  const segment = (marker: number, content: string) => {
    const head = Buffer.from([0xff, marker, 0, 0])
    head.writeUInt16BE(content.length + 2, 2)
    return Buffer.concat([head, Buffer.from(content)])
  }
  const start = Buffer.from('ffd8', 'hex')

  it('returns segments by their marker, up to the pixels', async () => {
    const jpeg = Buffer.concat([
      start,
      segment(0xeb, 'JP12'),
      segment(0xe1, ''),
      segment(0xda, 'scan'),
      segment(0xe1, 'late'),
    ])
    expect(await blocksOf('image/jpeg', jpeg)).toEqual(['eb:JP12', 'e1:'])
  })

  it.each([
    ['at the end of the picture', Buffer.from('ffd90004', 'hex')],
    ['at what is no marker', Buffer.from('00e10004', 'hex')],
  ])('ends %s', async (_, end) => {
    const jpeg = Buffer.concat([start, segment(0xe1, 'one'), end, segment(0xe1, 'two')])
    expect(await blocksOf('image/jpeg', jpeg)).toEqual(['e1:one'])
  })

  it.each([0, 1, 2])('takes a segment that states %i bytes for an empty one, and continues', async (length) => {
    const jpeg = Buffer.concat([start, Buffer.from([0xff, 0xe0, 0, length]), segment(0xe1, 'next')])
    expect(await blocksOf('image/jpeg', jpeg)).toEqual(['e0:', 'e1:next'])
  })
})

it.each(['image/webp', 'audio/wav', 'video/vnd.avi'])('RIFF %s: chunks with even starts', async (mime) => {
  const riff = riffChunk(
    'RIFF',
    Buffer.concat([Buffer.from('WEBP'), riffChunk('odd ', Buffer.from('abc')), riffChunk('C2PA', Buffer.from('de'))]),
  )
  expect(await blocksOf(mime, riff)).toEqual(['odd :abc', 'C2PA:de'])
})

describe('ISO base media', () => {
  it.each(['video/mp4', 'audio/x-m4a', 'video/quicktime', 'image/avif', 'image/heic', 'video/3gpp2'])(
    '%s: boxes of the top level',
    async (mime) => {
      expect(await blocksOf(mime, Buffer.concat([box('ftyp', 'isom'), box('uuid', ''), box('mdat', 'x')]))).toEqual([
        'ftyp:isom',
        'uuid:',
        'mdat:x',
      ])
    },
  )

  it('reads a box of 64-bit size, and one that extends to the end', async () => {
    const wide = Buffer.concat([
      Buffer.from('00000001', 'hex'),
      Buffer.from('mdat'),
      Buffer.alloc(8),
      Buffer.from('abc'),
    ])
    wide.writeBigUInt64BE(19n, 8)
    const last = Buffer.concat([Buffer.alloc(4), Buffer.from('uuidrest of it')])
    expect(await blocksOf('video/mp4', Buffer.concat([wide, last]))).toEqual(['mdat:abc', 'uuid:rest of it'])
  })

  it.each([
    ['smaller than its head', '00000007', 0],
    ['of 64 bits smaller than its head', '00000001', 15],
  ])('ends at a box %s, which would be read forever', async (_, size, wide) => {
    const broken = Buffer.concat([Buffer.from(size, 'hex'), Buffer.from('free'), Buffer.alloc(8)])
    broken.writeBigUInt64BE(BigInt(wide), 8)
    expect(await blocksOf('video/mp4', Buffer.concat([box('ftyp', 'isom'), broken]))).toEqual(['ftyp:isom'])
  })

  it('ends at a box of 64-bit size whose size is cut off', async () => {
    const cut = Buffer.concat([box('ftyp', 'isom'), Buffer.from('00000001', 'hex'), Buffer.from('mdat0000000')])
    expect(await blocksOf('video/mp4', cut)).toEqual(['ftyp:isom'])
  })

  it('reads at most 20,000 boxes', async () => {
    const boxes = Buffer.from('0000000866726565'.repeat(20_001), 'hex')
    const read = (offset: number, length: number) => boxes.subarray(offset, offset + length)
    let count = 0
    for (const _ of walkOf('video/mp4')?.({ size: boxes.length, read }) ?? []) count += 1
    expect(count).toBe(20_000)
  })
})

it.each([null, 'text/plain', 'image/gif', 'audio/ogg', 'audio/mpeg', 'application/zip'])(
  '%s has no blocks to read',
  (mime) => {
    expect(walkOf(mime)).toBeNull()
  },
)

import { describe, expect, it } from 'vitest'
import { findMp4Index } from '../../src/formats/mp4-index.js'
import { isProtectedMp4 } from '../../src/formats/mp4-protection.js'
import { filesForAll } from '../support/temporary-folder.js'

const fileWith = filesForAll()

/** A box with its size in front, or another size where one is given. */
function box(type: string, body: Uint8Array | string = '', size = 8 + body.length): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(size)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, Buffer.from(body as string, 'latin1')])
}

/** A box whose size stands behind its type, in 64 bits. */
function longBox(type: string, body = '', size = 16 + body.length): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32BE(1)
  head.write(type, 4, 'latin1')
  head.writeBigUInt64BE(BigInt(size), 8)
  return Buffer.concat([head, Buffer.from(body, 'latin1')])
}

const ftyp = box('ftyp', 'isom')

const find = async (...boxes: Uint8Array[]) => findMp4Index(await fileWith(Buffer.concat(boxes)))

describe('the index of an MP4 file', () => {
  it.each<[string, Uint8Array[], { offset: number; size: number } | null]>([
    ['right at the start', [box('moov', 'abc')], { offset: 0, size: 11 }],
    ['behind the type', [ftyp, box('moov', 'abc')], { offset: 12, size: 11 }],
    ['behind the media', [ftyp, box('mdat', 'x'.repeat(500)), box('moov')], { offset: 520, size: 8 }],
    ['behind media of 64-bit size', [longBox('mdat', 'x'.repeat(100)), box('moov')], { offset: 116, size: 8 }],
    ['of 64-bit size itself', [ftyp, longBox('moov', 'abc')], { offset: 12, size: 19 }],
    ['to the end of the file', [ftyp, box('moov', 'abc', 0)], { offset: 12, size: Number.POSITIVE_INFINITY }],
    ['larger than the file', [box('moov', 'abc', 5000)], { offset: 0, size: 5000 }],
    ['is not there', [ftyp, box('mdat', 'x')], null],
    ['behind a box to the end of the file', [box('mdat', 'x', 0), box('moov')], null],
    ['behind a box that is smaller than its head', [box('free', '', 7), box('moov')], null],
    ['behind a box that goes beyond the file', [box('mdat', 'x', 999), box('moov')], null],
    ['behind a box that no file can hold', [ftyp, longBox('free', '', 2 ** 60), box('moov')], null],
    ['of an empty file', [], null],
    ['of a file of seven bytes', [Buffer.alloc(7, 1)], null],
    ['whose name alone lies in the media', [ftyp, box('mdat', box('moov'))], null],
  ])('%s', async (_, boxes, expected) => {
    expect(await find(...boxes)).toEqual(expected)
  })

  it('of a picture or a sound of another container is not read', async () => {
    expect(await find(Buffer.from('RIFF\u0024\0\0\0WAVEfmt ', 'latin1'))).toBeNull()
    expect(await find(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toBeNull()
  })
})

describe('protection', () => {
  const isProtected = async (...boxes: Uint8Array[]) => isProtectedMp4(await fileWith(Buffer.concat(boxes)))
  const entry = (name: string, distance = 0) => `....${name}${'x'.repeat(distance)}sinf`

  it.each(['enca', 'encv', 'drms', 'drmi'])('is recognized by a sample entry %s with its scheme', async (name) => {
    expect(await isProtected(ftyp, box('moov', entry(name)))).toBe(true)
    expect(await isProtected(ftyp, box('mdat', 'x'.repeat(100)), box('moov', entry(name), 0))).toBe(true)
  })

  it.each<[string, Uint8Array[]]>([
    ['an entry in clear', [ftyp, box('moov', '....mp4a....esds')]],
    ['a name without a scheme', [ftyp, box('moov', '....enca....')]],
    ['a scheme without such a name', [ftyp, box('moov', '....mp4a....sinf')]],
    ['a scheme before the name', [ftyp, box('moov', 'sinf....enca')]],
    ['a scheme of another track, far behind', [ftyp, box('moov', entry('enca', 1021))]],
    ['such words in the media', [ftyp, box('mdat', entry('enca')), box('moov', 'mp4a')]],
    ['no index', [ftyp, box('mdat', entry('enca'))]],
    ['an empty file', []],
  ])('is not recognized in %s', async (_, boxes) => {
    expect(await isProtected(...boxes)).toBe(false)
  })

  it('is recognized up to a kilobyte from the entry, the last byte included', async () => {
    expect(await isProtected(box('moov', entry('enca', 1016)))).toBe(true)
    expect(await isProtected(box('moov', entry('enca', 1017)))).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { readMp4Index } from '../../src/formats/mp4-index.js'
import { box, uint32 } from '../support/iso-boxes.js'
import { filesForAll } from '../support/temporary-folder.js'

const fileWith = filesForAll()

/** A box that states another size than it has. */
function falseBox(type: string, body: string, size: number): Buffer {
  const whole = box(type, body)
  whole.writeUInt32BE(size)
  return whole
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

const read = async (...boxes: Uint8Array[]) => readMp4Index(await fileWith(Buffer.concat(boxes)))

describe('the index of an MP4 file', () => {
  it.each<[string, Uint8Array[], boolean | null]>([
    ['right at the start', [box('moov', '....name')], true],
    ['behind the type', [ftyp, box('moov', '....name')], true],
    ['behind the media', [ftyp, box('mdat', 'x'.repeat(500)), box('moov', '....name')], true],
    ['behind media of 64-bit size', [longBox('mdat', 'x'.repeat(100)), box('moov', '....name')], true],
    ['of 64-bit size itself', [ftyp, longBox('moov', '....name')], true],
    ['to the end of the file', [ftyp, falseBox('moov', '....name', 0)], true],
    ['larger than the file', [falseBox('moov', '....name', 5000)], false],
    ['is not there', [ftyp, box('mdat', 'x')], null],
    ['behind a box to the end of the file', [falseBox('mdat', 'x', 0), box('moov')], null],
    ['behind a box that is smaller than its head', [falseBox('free', '', 7), box('moov')], null],
    ['behind a box that goes beyond the file', [falseBox('mdat', 'x', 999), box('moov')], null],
    ['behind a box that no file can hold', [ftyp, longBox('free', '', 2 ** 60), box('moov')], null],
    ['of an empty file', [], null],
    ['of a file of seven bytes', [Buffer.alloc(7, 1)], null],
    ['whose name alone lies in the media', [ftyp, box('mdat', box('moov'))], null],
  ])('%s', async (_, boxes, isWhole) => {
    const index = await read(...boxes)
    expect(index?.isWhole ?? null).toBe(isWhole)
    expect(index === null ? [] : [...index.places('name')]).toEqual(isWhole === null ? [] : [4])
  })

  it('of more than 64 MiB is not read', async () => {
    await expect(read(ftyp, box('moov', Buffer.alloc(64 * 1024 ** 2 + 1)))).rejects.toMatchObject({
      reason: 'media-too-complex',
    })
  })

  it('of a picture or a sound of another container is not read', async () => {
    expect(await read(Buffer.from('RIFF\u0024\0\0\0WAVEfmt ', 'latin1'))).toBeNull()
    expect(await read(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toBeNull()
  })
})

describe('protection', () => {
  const isProtected = async (...boxes: Uint8Array[]) => (await read(...boxes))?.isProtected ?? false
  const entry = (name: string, distance = 0) => `....${name}${'x'.repeat(distance)}sinf`

  it.each(['enca', 'encv', 'drms', 'drmi'])('is recognized by a sample entry %s with its scheme', async (name) => {
    expect(await isProtected(ftyp, box('moov', entry(name)))).toBe(true)
    expect(await isProtected(ftyp, box('mdat', 'x'.repeat(100)), falseBox('moov', entry(name), 0))).toBe(true)
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

/** An edit of ms, from a place in the media; FFFFFFFF is none. */
type Edit = readonly [ms: number, from: number]
const NOWHERE = 0xffffffff
const list = (...edits: Edit[]) =>
  box('elst', uint32(0, edits.length), ...edits.map(([ms, from]) => uint32(ms, from, 0x10000)))
const longList = (...edits: Edit[]) =>
  box('elst', uint32(0x01000000, edits.length), ...edits.map(([ms, from]) => uint32(0, ms, 0, from, 0x10000)))
const track = (kind: string, ...parts: Buffer[]) => box('trak', ...parts, box('hdlr', uint32(0, 0), Buffer.from(kind)))
const movie = (...tracks: Buffer[]) =>
  Buffer.concat([box('ftyp', Buffer.from('isom')), box('moov', box('mvhd', uint32(0, 0, 0, 1000, 0)), ...tracks)])

it.each<[string, Buffer, number]>([
  ['of one edit', movie(track('vide', list([3000, 512]))), 3],
  ['of one edit in 64 bits', movie(track('vide', longList([3000, 512]))), 3],
  ['of one edit behind an empty one', movie(track('vide', list([500, NOWHERE], [3000, 0]))), 3],
  ['of two edits', movie(track('vide', list([3000, 0], [3000, 512]))), 0],
  ['of an empty edit alone', movie(track('vide', list([3000, NOWHERE]))), 0],
  ['of all there is', movie(track('vide', list([0, 512]))), Infinity],
  ['without a list', movie(track('vide')), Infinity],
  ['of sound', movie(track('soun', list([3000, 0]))), Infinity],
  ['of the second track', movie(track('soun', list([3000, 0])), track('vide', list([2000, 0]))), 2],
  ['of too many tracks', movie(...Array.from({ length: 65 }, () => track('vide'))), 0],
  ['of a list that ends in its head', movie(track('vide'), box('trak', Buffer.from('videelst'))), 0],
  ['of a track of 64-bit size', movie(longBox('trak', `vide${list([3000, 0], [3000, 512]).toString('latin1')}`)), 0],
])('the pictures %s', async (_, bytes, seconds) => {
  expect((await read(bytes))?.editedSeconds ?? Infinity).toBe(seconds)
})

import { expect, it } from 'vitest'
import { editedSeconds } from '../../src/formats/mp4-edits.js'
import { box, uint32 } from '../support/iso-boxes.js'
import { filesForAll } from '../support/temporary-folder.js'

const fileWith = filesForAll()

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
  ['of all there is', movie(track('vide', list([0, 512]))), Number.POSITIVE_INFINITY],
  ['without a list', movie(track('vide')), Number.POSITIVE_INFINITY],
  ['of sound', movie(track('soun', list([3000, 0]))), Number.POSITIVE_INFINITY],
  ['of the second track', movie(track('soun', list([3000, 0])), track('vide', list([2000, 0]))), 2],
  ['of too many tracks', movie(...Array.from({ length: 65 }, () => track('vide'))), 0],
  ['of a list that ends in its head', movie(track('vide'), box('trak', Buffer.from('videelst'))), 0],
  ['of another container', Buffer.from('RIFF'), Number.POSITIVE_INFINITY],
])('the pictures %s', async (_, bytes, seconds) => {
  expect(await editedSeconds(await fileWith(bytes))).toBe(seconds)
})

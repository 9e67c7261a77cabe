import { readFileSync } from 'node:fs'
import { packagePath } from '../../src/core/files.js'

/** Videos of two kilobytes with a byte or a few changed, over which their reader computes without end or takes all memory; found by mutation. */
export const endlessContainers: readonly [string, Buffer][] = [
  // A name that is none, so that each search for a keyframe begins anew.
  ['a WebM whose index has a broken name', changed('vp8.webm', '1c53bb6bca', 2, 0x00)],
  // One entry of two billion takes seconds, which a fast machine may well spend on it.
  ['an MP4 with four billion samples in each entry of its ctts', withFullEntries('h264.mp4', 'ctts')],
  ['an MP4 with two billion samples in its stts', changed('h264.mp4', hexOf('stts'), 12, 0x7f)],
]

function hexOf(name: string): string {
  return Buffer.from(name).toString('hex')
}

/** A fixture with one byte changed, so far behind the place where `hex` stands. */
function changed(fixture: string, hex: string, behind: number, value: number): Buffer {
  const bytes = readFileSync(packagePath('test', 'fixtures', 'video', fixture))
  const at = bytes.indexOf(Buffer.from(hex, 'hex'))
  if (at < 0) throw new Error(`${fixture} holds no ${hex}`)
  bytes[at + behind] = value
  return bytes
}

/** A fixture in which each entry of a table of (count, value) counts four billion samples. */
function withFullEntries(fixture: string, table: string): Buffer {
  const bytes = readFileSync(packagePath('test', 'fixtures', 'video', fixture))
  const at = bytes.indexOf(table)
  const entries = bytes.readUInt32BE(at + 8)
  for (let entry = 0; entry < entries; entry++) bytes[at + 12 + 8 * entry] = 0xff
  return bytes
}

import { readAt } from '../core/files.js'
import { findMp4Index } from './mp4-index.js'

/** Largest index in which edits are sought, bytes; that of hours takes a few MB. */
const MAX_INDEX_BYTES = 16 * 1024 ** 2
/** Each is looked through for its kind. */
const MOST_TRACKS = 64

/**
 * How long the pictures of an ISO base media file are shown by its edit list (ISO/IEC 14496-12, 8.6.6).
 * @returns seconds; infinite where there is no edit list, or one that shows all; 0 where it is not a single edit, or the
 *   index is too large, or has too many tracks, to look for one
 */
export async function editedSeconds(file: string): Promise<number> {
  const place = await findMp4Index(file)
  if (place === null) return Number.POSITIVE_INFINITY
  if (place.size > MAX_INDEX_BYTES) return 0
  // With room for what is read behind a name at its end.
  const index = Buffer.concat([await readAt(file, place.offset, place.size), Buffer.alloc(64)])
  const header = index.indexOf('mvhd')
  const scale = header === -1 ? 0 : index.readUInt32BE(header + (index[header + 4] === 1 ? 24 : 16))
  let least = Number.POSITIVE_INFINITY
  let count = 0
  for (let at = index.indexOf('trak'); at !== -1; at = index.indexOf('trak', at + 4)) {
    count += 1
    if (count > MOST_TRACKS) return 0
    const end = at - 4 + index.readUInt32BE(at - 4)
    if (index.subarray(at, end).includes('vide')) least = Math.min(least, secondsOf(index, at, end, scale))
  }
  return least
}

/** Of the track between two bytes of the index. @param scale units a second */
function secondsOf(index: Buffer, from: number, to: number, scale: number): number {
  const list = index.indexOf('elst', from)
  if (list === -1 || list >= to) return Number.POSITIVE_INFINITY
  const isLong = index[list + 4] === 1
  const entryBytes = isLong ? 20 : 12
  const shown: number[] = []
  const end = Math.min(to, list + 12 + index.readUInt32BE(list + 8) * entryBytes)
  for (let entry = list + 12; entry < end && shown.length < 2; entry += entryBytes) {
    const duration = isLong ? Number(index.readBigUInt64BE(entry)) : index.readUInt32BE(entry)
    const start = isLong ? Number(index.readBigInt64BE(entry + 8)) : index.readInt32BE(entry + 4)
    // An empty edit lets the pictures begin later.
    if (start >= 0) shown.push(duration)
  }
  if (shown.length !== 1) return 0
  return shown[0] === 0 ? Number.POSITIVE_INFINITY : (shown[0] as number) / scale
}

import { readAt } from '../core/files.js'
import { findMp4Index } from './mp4-index.js'

/** Largest index that is looked through, bytes; that of ten hours takes some 30 MB. */
const MAX_INDEX_BYTES = 64 * 1024 ** 2

/**
 * Whether a track of an ISO base media file is one of chapters to another (QuickTime's reference `chap`), which some players
 * never show, and others do.
 * @returns true, too, where the index is too large to look
 */
export async function isChapterTrack(file: string, track: number): Promise<boolean> {
  const place = await findMp4Index(file)
  if (place === null) return false
  if (place.size > MAX_INDEX_BYTES) return true
  const index = await readAt(file, place.offset, place.size)
  for (let at = index.indexOf('chap'); at !== -1; at = index.indexOf('chap', at + 4)) {
    const end = Math.min(index.length, at - 4 + index.readUInt32BE(at - 4)) - 4
    for (let id = at + 4; id <= end; id += 4) if (index.readUInt32BE(id) === track) return true
  }
  return false
}

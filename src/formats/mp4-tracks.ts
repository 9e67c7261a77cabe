import { readAt } from '../core/files.js'
import { findMp4Index } from './mp4-index.js'

// What an ISO base media file states of its tracks that some players follow and others do not.

/** Largest index that is looked through, bytes; that of ten hours takes some 30 MB. */
const MAX_INDEX_BYTES = 64 * 1024 ** 2
/** Read behind a name at the end of an index, bytes. */
const ROOM = 24
/** Of each side, at least this share is kept by cameras and editors: they cut away what is uneven at its ends. */
const LEAST_KEPT = 0.95

/**
 * Whether a track is one of chapters to another (QuickTime's reference `chap`), which some players never show, and others do.
 * @returns true, too, where the index is too large to look
 */
export async function isChapterTrack(file: string, track: number): Promise<boolean> {
  return someBox(file, 'chap', (index, at) => {
    const end = Math.min(index.length - ROOM, at - 4 + index.readUInt32BE(at - 4)) - 4
    for (let id = at + 4; id <= end; id += 4) if (index.readUInt32BE(id) === track) return true
    return false
  })
}

/**
 * Whether a clean aperture (box `clap`) is stated that is much less than the pictures: some players cut it out, others show
 * all, and ffmpeg does either by its version.
 * @param width of the coded pictures, px; `height` as well
 * @returns true, too, where the index is too large to look
 */
export async function isCutOut(file: string, width: number, height: number): Promise<boolean> {
  return someBox(file, 'clap', (index, at) => {
    const [across = 0, down = 0] = [4, 12].map(
      (from) => index.readUInt32BE(at + from) / index.readUInt32BE(at + from + 4),
    )
    return !(across >= LEAST_KEPT * width && down >= LEAST_KEPT * height)
  })
}

/** @param isMeant of a box by the place of its name in the index */
async function someBox(file: string, name: string, isMeant: (index: Buffer, at: number) => boolean): Promise<boolean> {
  const place = await findMp4Index(file)
  if (place === null) return false
  if (place.size > MAX_INDEX_BYTES) return true
  const index = Buffer.concat([await readAt(file, place.offset, place.size), Buffer.alloc(ROOM)])
  for (let at = index.indexOf(name); at !== -1; at = index.indexOf(name, at + 4)) if (isMeant(index, at)) return true
  return false
}

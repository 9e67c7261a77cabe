import { readAt } from '../core/files.js'
import { findMp4Index } from './mp4-index.js'

/** Largest index that is looked through, bytes; that of ten hours takes some 30 MB. */
const MAX_INDEX_BYTES = 64 * 1024 ** 2
/** Of each side, at least this share is kept by cameras and editors: they cut away what is uneven at its ends. */
const LEAST_KEPT = 0.95

/**
 * Whether an ISO base media file states a clean aperture (box `clap`) that is much less than its pictures: some players cut
 * it out, others show all, and ffmpeg does either by its version.
 * @param width of the coded pictures, px; `height` as well
 * @returns true, too, where the index is too large to look
 */
export async function isCutOut(file: string, width: number, height: number): Promise<boolean> {
  const place = await findMp4Index(file)
  if (place === null) return false
  if (place.size > MAX_INDEX_BYTES) return true
  // With room for what is read behind a name at its end.
  const index = Buffer.concat([await readAt(file, place.offset, place.size), Buffer.alloc(24)])
  for (let at = index.indexOf('clap'); at !== -1 && at < index.length - 24; at = index.indexOf('clap', at + 4)) {
    const [across, down] = [4, 12].map((from) => index.readUInt32BE(at + from) / index.readUInt32BE(at + from + 4))
    const isWhole = (across as number) >= LEAST_KEPT * width && (down as number) >= LEAST_KEPT * height
    if (!isWhole) return true
  }
  return false
}

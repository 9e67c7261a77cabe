import { readAt } from '../core/files.js'

/** Top-level boxes that are walked over in search of one. */
const MAX_BOXES = 10_000

/** Where a box of an ISO base media file lies, in bytes. */
export interface Mp4Box {
  readonly offset: number
  /** As the box states it; infinite where it states "to the end". The file may end before. */
  readonly size: number
}

/** Finds the index of an MP4, M4A or QuickTime file; null where there is none: another container, or a broken file. */
export const findMp4Index = (file: string): Promise<Mp4Box | null> => findMp4Box(file, 'moov')

/** Finds the first top-level box of a name, such as the index of an AVIF (meta). */
export async function findMp4Box(file: string, name: string): Promise<Mp4Box | null> {
  let offset = 0
  for (let count = 0; count < MAX_BOXES; count++) {
    const head = await readAt(file, offset, 16)
    if (head.length < 8) return null
    const short = head.readUInt32BE(0)
    const size = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    if (head.toString('latin1', 4, 8) === name) return { offset, size: size || Number.POSITIVE_INFINITY }
    // No file has a byte beyond: a read there is refused by its number instead of ending like one behind the file.
    if (size < 8 || !Number.isSafeInteger(offset + size)) return null
    offset += size
  }
  return null
}

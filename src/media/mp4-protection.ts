import { readAt } from '../core/files.js'

/** Sample entries of protected tracks: Common Encryption (ISO/IEC 23001-7), Apple's FairPlay. */
const PROTECTED_ENTRIES = ['enca', 'encv', 'drms', 'drmi']
/** A protected entry holds the scheme of its protection a few boxes behind its name. */
const SCHEME = 'sinf'
const SCHEME_WITHIN_BYTES = 1024
/** Top-level boxes that are walked over in search of the index. */
const MAX_BOXES = 10_000
/** Of the index, the track headers lie in front; sample tables of hours take a few MB. */
const MAX_INDEX_BYTES = 16 * 1024 ** 2

/**
 * Whether a track of an ISO base media file (MP4, M4A, QuickTime) is encrypted. Told before anything is decoded, since
 * ffmpeg decodes encrypted sound to noise. False where there is no index: another container, or a broken file.
 */
export async function isProtectedMp4(file: string): Promise<boolean> {
  let offset = 0
  for (let count = 0; count < MAX_BOXES; count++) {
    const head = await readAt(file, offset, 16)
    if (head.length < 8) return false
    const short = head.readUInt32BE(0)
    const size = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    if (head.toString('latin1', 4, 8) === 'moov') {
      return namesProtection(await readAt(file, offset, Math.min(size || MAX_INDEX_BYTES, MAX_INDEX_BYTES)))
    }
    if (size < 8) return false
    offset += size
  }
  return false
}

function namesProtection(index: Buffer): boolean {
  return PROTECTED_ENTRIES.some((entry) => {
    const at = index.indexOf(entry, 0, 'latin1')
    return at !== -1 && index.subarray(at, at + SCHEME_WITHIN_BYTES).includes(SCHEME)
  })
}

import { readAt } from '../core/files.js'
import { findMp4Index } from './mp4-index.js'

/** Sample entries of protected tracks: Common Encryption (ISO/IEC 23001-7), Apple's FairPlay. */
const PROTECTED_ENTRIES = ['enca', 'encv', 'drms', 'drmi']
/** A protected entry holds the scheme of its protection a few boxes behind its name. */
const SCHEME = 'sinf'
const SCHEME_WITHIN_BYTES = 1024
/** Of the index, the track headers lie in front; sample tables of hours take a few MB. */
const MAX_INDEX_BYTES = 16 * 1024 ** 2

/**
 * Whether a track of an ISO base media file (MP4, M4A, QuickTime) is encrypted. Checked before anything is decoded, since
 * ffmpeg decodes encrypted sound to noise. False where there is no index: another container, or a broken file.
 */
export async function isProtectedMp4(file: string): Promise<boolean> {
  const index = await findMp4Index(file)
  if (index === null) return false
  return namesProtection(await readAt(file, index.offset, Math.min(index.size, MAX_INDEX_BYTES)))
}

function namesProtection(index: Buffer): boolean {
  return PROTECTED_ENTRIES.some((entry) => {
    const at = index.indexOf(entry, 0, 'latin1')
    return at !== -1 && index.subarray(at, at + SCHEME_WITHIN_BYTES).includes(SCHEME)
  })
}

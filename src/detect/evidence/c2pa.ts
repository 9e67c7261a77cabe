import { walkOf } from '../../formats/blocks.js'
import type { FileBytes } from '../../formats/file-bytes.js'
import type { Evidence } from '../contract/measurement.js'
import { evidenceOf } from './evidence-of.js'

/** Largest file that is read whole, to compare its content with what was signed. */
const MAX_CHECKED_BYTES = 32 * 1024 * 1024
/** Largest manifest store that is read from a container that cannot be checked. */
const MAX_STORE_BYTES = 8 * 1024 * 1024

/** Box type of C2PA in ISO base media files (C2PA 2.1, A.5). */
const ISO_UUID = 'd8fec3d61b0e483c92975828877ec481'
const MP3_MIME_TYPE = 'application/x-c2pa-manifest-store'

/**
 * What C2PA content credentials claim, who signed them, and whether signature and content hash fit. The signer is
 * never compared with a list of trusted ones, and anybody may sign anything.
 */
export async function c2paEvidence(bytes: FileBytes, mime: string | null): Promise<Evidence[]> {
  const place = findStore(bytes, mime)
  if (place === null) return []
  try {
    return (await claims(bytes, mime, place)) ?? [unread('too large')]
  } catch {
    return [unread('malformed')]
  }
}

async function claims(bytes: FileBytes, mime: string | null, place: Place): Promise<Evidence[] | null> {
  // Loaded for files that carry a store only: the library takes 0.7 s and 40 MB.
  const { claimsOfFile, claimsOfStore, readerFor } = await import('./c2pa-claims.js')
  const reader = readerFor(mime)
  if (reader !== undefined && bytes.size <= MAX_CHECKED_BYTES) {
    const checked = await claimsOfFile(bytes.read(0, bytes.size), reader).catch(() => null)
    if (checked !== null) return checked
  } else if (!place.isWhole) return null
  if (place.length > MAX_STORE_BYTES) return null
  // Also of a file that the library cannot take apart.
  return claimsOfStore(bytes.read(place.offset, place.length))
}

const unread = (why: string): Evidence => evidenceOf('c2pa', `c2pa credentials are there but were not read: ${why}`)

/** Where a manifest store lies, and whether it is all there; by a few bytes, because the library reads whole files. */
interface Place {
  readonly offset: number
  readonly length: number
  readonly isWhole: boolean
}

function findStore(bytes: FileBytes, mime: string | null): Place | null {
  if (mime === 'audio/mpeg') {
    const offset = bytes.read(0, MAX_STORE_BYTES).indexOf(MP3_MIME_TYPE)
    return offset < 0 ? null : { offset, length: 0, isWhole: false }
  }
  const walk = walkOf(mime)
  if (walk === null) return null
  for (const { type, offset, length } of walk(bytes)) {
    if (type === 'caBX' || type === 'C2PA') return { offset, length, isWhole: true }
    // A JPEG spreads a store over several segments.
    if (type === 'eb' && bytes.read(offset, 2).toString('latin1') === 'JP') return { offset, length, isWhole: false }
    if (type === 'uuid') {
      const head = bytes.read(offset, 64)
      if (head.toString('hex', 0, 16) === ISO_UUID) return isoPlace(offset, length, head)
    }
  }
  return null
}

/** Behind the type: version and flags, the purpose ending in NUL, the place of the Merkle box (C2PA 2.1, A.5.1). */
function isoPlace(offset: number, length: number, head: Buffer): Place {
  const skipped = head.indexOf(0, 20) + 1 + 8
  return { offset: offset + skipped, length: Math.max(0, length - skipped), isWhole: true }
}

import { integrity } from './block-check.js'

/** What one attempt may receive in all; a gateway that sends more is padding. */
export interface ByteBudget {
  /** Counts received bytes. @throws media-integrity when there are too many */
  take(bytes: number): void
}

/** Share of a file's size that graph nodes, CIDs and framing may add; real graphs need under 1 %. */
const OVERHEAD_SHARE = 1 / 8
/** Added on top for small files and directory nodes on the way to them, bytes. */
const OVERHEAD_BYTES = 16 * 1024 * 1024

/** A budget for a file of at most `maxBytes`. */
export function createByteBudget(maxBytes: number): ByteBudget {
  const limit = maxBytes * (1 + OVERHEAD_SHARE) + OVERHEAD_BYTES
  let taken = 0
  return {
    take(bytes) {
      taken += bytes
      if (taken > limit) throw integrity(`it sent over ${Math.round(limit)} bytes for a file of at most ${maxBytes}`)
    },
  }
}

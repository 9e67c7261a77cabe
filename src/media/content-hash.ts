import { createHash } from 'node:crypto'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { ContentHashAlgorithm } from './media-source.js'

/** A running digest that is fed chunk by chunk. */
export interface ContentHasher {
  /** Takes a chunk of any size; gives the event loop its turn within large ones. */
  update(chunk: Uint8Array): Promise<void>
  /** `0x` and 64 lower-case hex characters. Call once. */
  digest(): string
}

/** Bytes hashed in one go; keccak in JavaScript does about 40 MB/s, so a slice holds the event loop under 2 ms. */
const SLICE_BYTES = 64 * 1024

/** Starts a digest of the kind that the service means by contentHash. */
export const createContentHasher = (algorithm: ContentHashAlgorithm): ContentHasher =>
  algorithm === 'sha256' ? nativeSha256() : slicedKeccak256()

function nativeSha256(): ContentHasher {
  const hash = createHash('sha256')
  return {
    update: async (chunk) => {
      hash.update(chunk)
    },
    digest: () => `0x${hash.digest('hex')}`,
  }
}

function slicedKeccak256(): ContentHasher {
  const hash = keccak_256.create()
  let sinceYield = 0
  return {
    update: async (chunk) => {
      for (let start = 0; start < chunk.length; start += SLICE_BYTES) {
        const slice = chunk.subarray(start, start + SLICE_BYTES)
        hash.update(slice)
        sinceYield += slice.length
        if (sinceYield < SLICE_BYTES) continue
        sinceYield = 0
        await yieldToLoop()
      }
    },
    digest: () => `0x${Buffer.from(hash.digest()).toString('hex')}`,
  }
}

import { createHash } from 'node:crypto'

/**
 * The queue job id of an asset: the same for every process, and safe for BullMQ, which refuses `:` and all-digit ids.
 * Asset ids are the service's text and may hold anything, so they are hashed.
 */
export function jobIdOf(assetId: string): string {
  return `asset-${createHash('sha256').update(assetId).digest('hex').slice(0, 40)}`
}

import { z } from 'zod'
import { MAX_PIXELS } from '../../detect/contract/medium-reader.js'

/** Limits and looks of a thumbnail. */
export const THUMBNAIL = {
  /** Longest side, px; twice what a card shows. */
  side: 280,
  quality: 72,
  maxPixels: MAX_PIXELS,
  timeoutSeconds: 10,
} as const

/** Base64 characters that a thumbnail may take; the process that makes it is not trusted. */
const MAX_BASE64 = 400_000

/** What the parent sends: a file to decode. */
export const toThumbnailChildSchema = z.strictObject({ file: z.string() })

/** What comes back. */
export const fromThumbnailChildSchema = z.union([
  z.strictObject({ jpeg: z.base64().max(MAX_BASE64) }),
  z.strictObject({ failed: z.string().max(200) }),
])

export type FromThumbnailChild = z.infer<typeof fromThumbnailChildSchema>

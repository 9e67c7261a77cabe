import { z } from 'zod'
import { AttestdError } from '../core/errors.js'
import { MEDIA_TYPES } from '../core/media-types.js'
import { issueText } from './shape-text.js'

/** Shapes of single fields that both APIs carry, shared with the sandbox. They check and change nothing. */

/** Longest mediaContext, characters (signed-key specification, Limits). */
export const MEDIA_CONTEXT_MAX = 200
/** Longest algorithm label that is sent, or kept of a score record, characters; the signed-key specification states "short". */
export const ALGORITHM_MAX = 200
/** Longest notes that are sent, characters; the specifications name no limit. */
export const NOTES_MAX = 2000
/** Longest title that is kept, characters; the specifications name no limit. */
export const TITLE_MAX = 500
/** Longest asset id that is taken; the specifications name no limit. */
const ASSET_ID_MAX = 512
/** Longest URI that is taken; the specifications name no limit. */
const URI_MAX = 2048

/** 0x and 64 hex characters, either case. */
export const bytes32Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex characters')
/** 0x and 40 hex characters, either case. */
export const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex characters')
/** Where the media lies, at most 2048 characters; whether it can be fetched from there is for `media/` to judge. */
export const uriSchema = z.string().min(1).max(URI_MAX)
/** A percentage, as the APIs state risks and authenticity. */
export const percentageSchema = z.number().min(0).max(100)
/** Required of assets by the signed-key specification; in the wallet-session API read where a service adds it. */
export const mediaTypeSchema = z.enum(MEDIA_TYPES)
/** Named by the signed-key specification (MediaAsset); in the wallet-session API `standard` where it is absent. */
export const turnaroundSchema = z.enum(['standard', 'priority_5min'])

/**
 * An asset id that can stand in a path: well-formed text, and not a dot segment, which every URL parser would resolve
 * away, so that another path would be sent than was meant.
 */
export const assetIdSchema = z
  .string()
  .min(1)
  .max(ASSET_ID_MAX)
  .refine((id) => id.isWellFormed() && !id.includes('\u0000') && id !== '.' && id !== '..', 'cannot be part of a path')

/** A JSON object of which nothing more is known here; what is read of it is checked where it is read. */
export const looseRecordSchema = z.looseObject({})

/** What is sent to both APIs about a new asset. */
export const registrationSchema = z.looseObject({
  title: z.string(),
  mediaContext: z.string().max(MEDIA_CONTEXT_MAX),
  contentHash: bytes32Schema,
  uri: uriSchema,
  contributorAttestationUid: bytes32Schema,
  /** ISO-8601, in the future. */
  verificationDeadline: z.iso.datetime({ offset: true }),
  mediaType: mediaTypeSchema.optional(),
  turnaround: turnaroundSchema.optional(),
})

/** What is about to be sent, of the stated shape. @throws AttestdError request-invalid */
export function checked<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AttestdError('request-invalid', `Not sent: ${issueText(parsed.error)}`)
}

/** An asset id as one path segment, percent-encoded once. @throws AttestdError request-invalid for text that cannot stand there */
export const encodeId = (id: string): string => encodeURIComponent(checked(assetIdSchema, id))

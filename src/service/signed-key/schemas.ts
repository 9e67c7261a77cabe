import { z } from 'zod'
import { MEDIA_TYPES } from '../../core/media-types.js'

/**
 * Wire shapes of the signed-key API v1, shared with the sandbox. They say what travels and change nothing: no defaults,
 * no transforms. Unknown fields are tolerated, known ones are checked. Turning them into the port's types is
 * `reading.ts`'s work.
 */

/** Longest mediaContext, characters (specification, Limits). */
export const MEDIA_CONTEXT_MAX = 200
/** Longest asset id that is taken; the specification names no limit. */
const ASSET_ID_MAX = 512
/** Longest URI that is taken; the specification names no limit. */
const URI_MAX = 2048

/** 0x and 64 hex characters, either case. */
const bytes32Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex characters')
/** 0x and 40 hex characters, either case. */
export const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex characters')
/** Wei as a decimal string; 78 digits hold every uint256. */
export const weiSchema = z.string().regex(/^\d{1,78}$/, 'must be a decimal string')
const riskSchema = z.number().min(0).max(100)
const mediaTypeSchema = z.enum(MEDIA_TYPES)
const turnaroundSchema = z.enum(['standard', 'priority_5min'])

/**
 * An asset id that can stand in a path: well-formed text, and not a dot segment, which every URL parser would resolve
 * away, so that another path would be sent than was signed.
 */
export const assetIdSchema = z
  .string()
  .min(1)
  .max(ASSET_ID_MAX)
  .refine((id) => id.isWellFormed() && !id.includes('\u0000') && id !== '.' && id !== '..', 'cannot stand in a path')

/** A JSON object of which nothing more is known here; what is read of it is checked where it is read. */
export const looseRecordSchema = z.looseObject({})

export const stakeSchema = z.looseObject({ stakedWei: weiSchema, minStakeWei: weiSchema })

const myScoreSchema = z.union([
  z.looseObject({ submitted: z.literal(true), deepfakeRiskScore: riskSchema }),
  z.looseObject({ submitted: z.literal(false) }),
])

export const mediaAssetSchema = z.looseObject({
  id: assetIdSchema,
  title: z.string(),
  mediaContext: z.string(),
  contentHash: bytes32Schema,
  uri: z.string().min(1).max(URI_MAX),
  status: z.string(),
  mediaType: mediaTypeSchema,
  turnaround: turnaroundSchema,
  scoreCount: z.int().min(0),
  myScore: myScoreSchema.nullish(),
})

// public routes

export const timeReplySchema = z.looseObject({ serverTime: z.int().positive() })
export const healthReplySchema = z.looseObject({
  ok: z.boolean(),
  service: z.string(),
  version: z.int(),
  timestamp: z.iso.datetime({ offset: true }),
})

// attester routes

/** The list as it is read: assets and stake are each checked on their own, so that a bad one costs nothing else. */
export const listReplySchema = z.looseObject({ assets: z.array(z.unknown()), stake: z.unknown().optional() })

export const scoreRequestSchema = z.looseObject({
  deepfakeRiskScore: riskSchema,
  algorithm: z.string().min(1),
  notes: z.string().optional(),
  /** Reserved, ignored. */
  signature: z.string().optional(),
})

export const scoreSchema = z.looseObject({
  id: z.string().min(1),
  assetId: z.string(),
  attesterAddress: addressSchema,
  deepfakeRiskScore: riskSchema,
})

/** The fields of the aggregate are not shown, and nothing here needs them. */
export const scoreReplySchema = z.looseObject({ score: scoreSchema, aggregate: z.unknown().optional() })

// submitter route

export const registerRequestSchema = z.looseObject({
  title: z.string(),
  mediaContext: z.string().max(MEDIA_CONTEXT_MAX),
  /** Detector content hint; `auto`, `face` and `landscape` are named, others are not shown. */
  contentType: z.string().optional(),
  contentHash: bytes32Schema,
  uri: z.string().min(1).max(URI_MAX),
  contributorAttestationUid: bytes32Schema,
  /** ISO-8601, in the future. */
  verificationDeadline: z.iso.datetime({ offset: true }),
  mediaType: mediaTypeSchema.optional(),
  turnaround: turnaroundSchema.optional(),
})

// dashboard key routes

export const keyKindSchema = z.enum(['attester', 'submitter'])
export const createKeyRequestSchema = z.looseObject({ kind: keyKindSchema, label: z.string() })
export const createKeyReplySchema = z.looseObject({
  accessKey: z.string().min(1),
  signingSecret: z.string().min(1),
  key: z.looseObject({ id: z.string().min(1), display: z.string(), kind: keyKindSchema }),
  warning: z.string(),
})

// event stream

export const readyEventSchema = z.looseObject({ stake: stakeSchema })
export const assetsEventSchema = z.looseObject({ ids: z.array(z.unknown()), assets: z.array(z.unknown()) })
export const pingEventSchema = z.looseObject({ t: z.number() })
export const errorEventSchema = z.looseObject({ message: z.string() })

export type WireAsset = z.infer<typeof mediaAssetSchema>
export type WireStake = z.infer<typeof stakeSchema>
export type Health = z.infer<typeof healthReplySchema>
export type ScoreRequest = z.infer<typeof scoreRequestSchema>
export type ScoreReply = z.infer<typeof scoreReplySchema>
export type RegisterRequest = z.infer<typeof registerRequestSchema>
export type KeyKind = z.infer<typeof keyKindSchema>
export type CreatedKey = z.infer<typeof createKeyReplySchema>

import { z } from 'zod'
import {
  addressSchema,
  assetIdSchema,
  bytes32Schema,
  mediaTypeSchema,
  percentageSchema,
  registrationSchema,
  turnaroundSchema,
  uriSchema,
} from '../wire-fields.js'

/**
 * Wire shapes of the signed-key API v1, shared with the sandbox. They say what travels and change nothing: no defaults,
 * no transforms. Unknown fields are tolerated, known ones are checked. Turning them into the port's types is
 * `reading.ts`'s work.
 */

/** Wei as a decimal string; 78 digits hold every uint256. */
export const weiSchema = z.string().regex(/^\d{1,78}$/, 'must be a decimal string')

export const stakeSchema = z.looseObject({ stakedWei: weiSchema, minStakeWei: weiSchema })

const myScoreSchema = z.union([
  z.looseObject({ submitted: z.literal(true), deepfakeRiskScore: percentageSchema }),
  z.looseObject({ submitted: z.literal(false) }),
])

export const mediaAssetSchema = z.looseObject({
  id: assetIdSchema,
  title: z.string(),
  mediaContext: z.string(),
  contentHash: bytes32Schema,
  uri: uriSchema,
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
  deepfakeRiskScore: percentageSchema,
  algorithm: z.string().min(1),
  notes: z.string().optional(),
  /** Reserved, ignored. */
  signature: z.string().optional(),
})

export const scoreSchema = z.looseObject({
  id: z.string().min(1),
  assetId: z.string(),
  attesterAddress: addressSchema,
  deepfakeRiskScore: percentageSchema,
})

/** The fields of the aggregate are not shown, and nothing here needs them. */
export const scoreReplySchema = z.looseObject({ score: scoreSchema, aggregate: z.unknown().optional() })

// submitter route

export const registerRequestSchema = registrationSchema.extend({
  /** Detector content hint; `auto`, `face` and `landscape` are named, others are not shown. */
  contentType: z.string().optional(),
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

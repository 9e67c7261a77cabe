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
 * Wire shapes of the signed-key API v1, shared with the sandbox. They state what travels and change nothing: no defaults, no
 * transforms. Unknown fields are tolerated, known ones are checked. Turning them into the port's types is `reading.ts`'s work.
 */

/** Wei as a decimal string; 78 digits hold every uint256. */
export const weiSchema = z.string().regex(/^\d{1,78}$/, 'must be a decimal string')

/** Stake of the key's wallet in the list and in the event `ready` (specification, Stake). */
export const stakeSchema = z.looseObject({ stakedWei: weiSchema, minStakeWei: weiSchema })

const myScoreSchema = z.union([
  z.looseObject({ submitted: z.literal(true), deepfakeRiskScore: percentageSchema }),
  z.looseObject({ submitted: z.literal(false) }),
])

/** One asset of lists, single answers and events (specification, MediaAsset). Only `open` is a named status. */
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

/** Answer of GET /api/v1/time: Unix milliseconds. */
export const timeReplySchema = z.looseObject({ serverTime: z.int().positive() })
/** Answer of GET /api/v1/health (specification, Health record); `attestd doctor` shows it. */
export const healthReplySchema = z.looseObject({
  ok: z.boolean(),
  service: z.string(),
  version: z.int(),
  timestamp: z.iso.datetime({ offset: true }),
})

// attester routes

/** The list as it is read: assets and stake are each checked on their own, so that a bad one costs nothing else. */
export const listReplySchema = z.looseObject({ assets: z.array(z.unknown()), stake: z.unknown().optional() })

/** Body of POST /api/v1/attester/media/:id/scores; the risk is a percentage. `signature` is reserved and ignored, whatever it is. */
export const scoreRequestSchema = z.looseObject({
  deepfakeRiskScore: percentageSchema,
  algorithm: z.string().min(1),
  notes: z.string().optional(),
})

/** Record of a stored score (specification, Score); its id and address go into the receipt. */
export const scoreSchema = z.looseObject({
  id: z.string().min(1),
  assetId: z.string(),
  attesterAddress: addressSchema,
  deepfakeRiskScore: percentageSchema,
})

/** The fields of the aggregate are not shown, and nothing here needs them. */
export const scoreReplySchema = z.looseObject({ score: scoreSchema, aggregate: z.unknown().optional() })

// submitter route

/** Body of POST /api/v1/submitter/media. The owner is not in it: the service takes it from the access key. */
export const registerRequestSchema = registrationSchema.extend({
  /** Detector content hint; `auto`, `face` and `landscape` are named, others are not shown. */
  contentType: z.string().optional(),
})

// dashboard key routes

/** What a key may do, and the prefix of its access key: `ak_att_` or `ak_sub_` (specification, API key). */
export const keyKindSchema = z.enum(['attester', 'submitter'])
/** Body of POST /api/dashboard/api-keys, which a dashboard session sends unsigned. */
export const createKeyRequestSchema = z.looseObject({ kind: keyKindSchema, label: z.string() })
/** The new key (specification, API key); the signing secret stands in this answer and in no later one. */
export const createKeyReplySchema = z.looseObject({
  accessKey: z.string().min(1),
  signingSecret: z.string().min(1),
  key: z.looseObject({ id: z.string().min(1), display: z.string(), kind: keyKindSchema }),
  warning: z.string(),
})

// event stream

/** Data of `ready`, the stake of the key (specification, Events); it becomes the port's `ready`. */
export const readyEventSchema = z.looseObject({ stake: stakeSchema })
/** Data of `open-assets` and `new-open-assets` (specification, Events); each asset is checked on its own. */
export const assetsEventSchema = z.looseObject({ ids: z.array(z.unknown()), assets: z.array(z.unknown()) })
/** Data of `ping`, the heartbeat (specification, Events); the unit of `t` is not shown, and it is not used. */
export const pingEventSchema = z.looseObject({ t: z.number() })
/** Data of `error` (specification, Events); it becomes the port's `trouble`, the connection goes on. */
export const errorEventSchema = z.looseObject({ message: z.string() })

/** A stake in decimal strings of wei, before `stakeOf`. */
export type WireStake = z.infer<typeof stakeSchema>
/** What the service states of itself, `timestamp` in ISO-8601; nothing in the pipeline depends on it. */
export type Health = z.infer<typeof healthReplySchema>
/** A score in the units of this API, as `SignedKeyAttesterService` makes it of the port's `Score`. */
export type ScoreRequest = z.infer<typeof scoreRequestSchema>
/** What a score is answered with, before it becomes a `Receipt`. */
export type ScoreReply = z.infer<typeof scoreReplySchema>
/** What `attestd register` states about a new asset in this API. */
export type RegisterRequest = z.infer<typeof registerRequestSchema>
/** Attesters list, stream and score; submitters register and upload. */
export type KeyKind = z.infer<typeof keyKindSchema>
/** A key with its signing secret, as `attestd keys` receives it once. */
export type CreatedKey = z.infer<typeof createKeyReplySchema>

import { z } from 'zod'
import {
  createKeyReplySchema,
  createKeyRequestSchema,
  healthReplySchema,
  mediaAssetSchema,
  registerRequestSchema,
  scoreReplySchema,
  scoreRequestSchema,
  scoreSchema,
  stakeSchema,
  timeReplySchema,
} from '../../service/signed-key/schemas.js'
import { looseRecordSchema, MEDIA_CONTEXT_MAX } from '../../service/wire-fields.js'
import { TEXT_LIMITS } from '../choices.js'
import { REFUSALS, type RefusalCode } from './refusal.js'

/** Schemas of the routes: those of the wire, shared with the client, made as exact as this service is. */

export const PingReply = looseRecordSchema.meta({ description: 'An empty object.' })
export const TimeReply = timeReplySchema.meta({ description: 'Unix time of the service in milliseconds.' })
export const HealthReply = healthReplySchema

export const WireMediaAsset = mediaAssetSchema
  .extend({
    contentType: z.string(),
    contributorAttestationUid: z.string(),
    verificationDeadline: z.string(),
    ownerAddress: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'MediaAsset', description: 'An asset with its further fields.' })
export type WireMediaAsset = z.infer<typeof WireMediaAsset>

export const MediaQuery = z.object({
  includeMyScore: z.coerce
    .number()
    .int()
    .optional()
    .meta({ description: '1: each asset carries myScore where the wallet of the key has scored it.' }),
})
export const AssetParams = z.object({ id: z.string() })

export const ListReply = z.looseObject({ assets: z.array(WireMediaAsset), stake: stakeSchema })
export const AssetReply = z.looseObject({ asset: WireMediaAsset, stake: stakeSchema })

export const ScoreBody = scoreRequestSchema.extend({
  algorithm: z.string().min(1).max(TEXT_LIMITS.algorithm),
  notes: z.string().max(TEXT_LIMITS.notes).optional(),
})
export const ScoreReply = scoreReplySchema.extend({
  score: scoreSchema.extend({ algorithm: z.string(), notes: z.string(), createdAt: z.string() }),
  aggregate: z.looseObject({
    scoreCount: z.int(),
    meanRiskScore: z.number().nullable(),
    minRiskScore: z.number().nullable(),
    maxRiskScore: z.number().nullable(),
  }),
})

export const RegisterBody = registerRequestSchema.extend({
  title: z.string().min(1).max(TEXT_LIMITS.title),
  mediaContext: z
    .string()
    .refine((text) => [...text].length <= MEDIA_CONTEXT_MAX, `at most ${MEDIA_CONTEXT_MAX} characters`)
    .meta({ maxLength: MEDIA_CONTEXT_MAX }),
})
export const RegisterReply = z.looseObject({ asset: WireMediaAsset })

export const CreateKeyBody = createKeyRequestSchema.extend({ label: z.string().min(1).max(TEXT_LIMITS.label) })
export const CreateKeyReply = createKeyReplySchema
export const RevokeKeyQuery = z.object({ id: z.string().min(1) })
export const RevokeKeyReply = z.looseObject({ id: z.string(), revoked: z.literal(true) })

export const UploadReply = z.looseObject({
  contentHash: z.string(),
  uri: z.string(),
  cid: z.string(),
  bytes: z.int(),
})

const codes = Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]]
const ErrorReply = z
  .looseObject({ error: z.looseObject({ code: z.enum(codes), message: z.string() }) })
  .meta({ id: 'Error', description: 'Every refusal has this body.' })

/** The response entries of the statuses that a route can refuse with. */
export function refusals<Status extends number>(...statuses: Status[]): Record<Status, typeof ErrorReply> {
  return Object.fromEntries(statuses.map((status) => [status, ErrorReply])) as Record<Status, typeof ErrorReply>
}

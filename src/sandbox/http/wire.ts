import { z } from 'zod'
import {
  createKeyRequestSchema,
  mediaAssetSchema,
  registerRequestSchema,
  scoreReplySchema,
  scoreRequestSchema,
  scoreSchema,
  stakeSchema,
  timeReplySchema,
} from '../../service/signed-key/schemas.js'
import { looseRecordSchema, MEDIA_CONTEXT_MAX } from '../../service/wire-fields.js'
import { aggregateSchema } from '../books/score-book.js'
import { TEXT_LIMITS } from '../choices.js'
import { SIGNED } from './openapi.js'
import { REFUSALS, type RefusalCode } from './refusal.js'

/** Schemas of the routes: those of the wire, shared with the client, made as exact as this service is. */

export const PingReply = looseRecordSchema.meta({ description: 'An empty object.' })
/** Service time, so with the skew that `setClockOffset` sets; clients sign by it. */
export const TimeReply = timeReplySchema.meta({ description: 'Unix time of the service in milliseconds.' })

/** An asset in lists, on streams and under /sandbox. The fields added here are our choice; times are ISO-8601. */
export const WireMediaAsset = mediaAssetSchema
  .extend({
    contentType: z.string(),
    contributorAttestationUid: z.string(),
    verificationDeadline: z.string(),
    ownerAddress: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'MediaAsset', description: 'An asset with its further fields.' })
/** What `assetView` makes of an asset on the books. */
export type WireMediaAsset = z.infer<typeof WireMediaAsset>

/** Query of the list and of the single asset. Numbers other than 1 ask for nothing, what is no integer is refused. */
export const MediaQuery = z.object({
  includeMyScore: z.coerce
    .number()
    .int()
    .optional()
    .meta({ description: '1: each asset carries myScore where the wallet of the key has scored it.' }),
})
/** The `:id` of routes on one asset, of both APIs. Any text is taken, so that an unknown one is a 404, not a 400. */
export const AssetParams = z.object({ id: z.string() })

/** The open assets in the order of registration, and the stake of the calling key's wallet. */
export const ListReply = z.looseObject({ assets: z.array(WireMediaAsset), stake: stakeSchema })
/** An open asset; for the submitter who owns it with the aggregate added. */
export const AssetReply = z.looseObject({ asset: WireMediaAsset, stake: stakeSchema })

/** The risk is a percentage. Other fields pass, but none of `ATTESTER_ADDRESS_FIELDS` may name someone else (403). */
export const ScoreBody = scoreRequestSchema.extend({
  algorithm: z.string().min(1).max(TEXT_LIMITS.algorithm),
  notes: z.string().max(TEXT_LIMITS.notes).optional(),
})
/** The score on record, also where the request only repeated it, and the aggregate of its asset with it. */
export const ScoreReply = scoreReplySchema.extend({
  score: scoreSchema.extend({ algorithm: z.string(), notes: z.string(), createdAt: z.string() }),
  aggregate: aggregateSchema,
})

/** `mediaContext` is counted in characters, not UTF-16 units; a deadline in the past is refused by `registerAsset`. */
export const RegisterBody = registerRequestSchema.extend({
  title: z.string().min(1).max(TEXT_LIMITS.title),
  mediaContext: z
    .string()
    .refine((text) => [...text].length <= MEDIA_CONTEXT_MAX, `at most ${MEDIA_CONTEXT_MAX} characters`)
    .meta({ maxLength: MEDIA_CONTEXT_MAX }),
})
/** Sent with 201. The same content registered again is another asset, with its own id. */
export const RegisterReply = z.looseObject({ asset: WireMediaAsset })

/** The wallet of the new key is not asked for: it is that of the session, or of the development account. */
export const CreateKeyBody = createKeyRequestSchema.extend({ label: z.string().min(1).max(TEXT_LIMITS.label) })
/** The id that the creation answered with, `key_…`; not the access key. */
export const RevokeKeyQuery = z.object({ id: z.string().min(1) })
/** The same for a key that was revoked before. */
export const RevokeKeyReply = z.looseObject({ id: z.string(), revoked: z.literal(true) })

/** Of both APIs; `contentHash` and `uri` are what the submitter registers next. */
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

/** The response entries of the statuses that a route can refuse with. @param reply body of each */
export const refusedWith = <Reply, Status extends number>(reply: Reply, statuses: Status[]): Record<Status, Reply> =>
  Object.fromEntries(statuses.map((status) => [status, reply])) as Record<Status, Reply>

/** Those of the signed-key API. */
export const refusals = <Status extends number>(...statuses: Status[]) => refusedWith(ErrorReply, statuses)

export const EventStream = {
  description: 'Server-sent events until either side ends the stream.',
  content: { 'text/event-stream': { schema: z.string() } },
}

/** The schema of a route behind a key. @param statuses those that it refuses with */
export function signedSchema<Replies extends object, Status extends number>(
  tag: 'attester' | 'submitter',
  summary: string,
  replies: Replies,
  ...statuses: Status[]
) {
  return { tags: [tag], summary, security: SIGNED, response: { ...replies, ...refusals(...statuses) } }
}

import { z } from 'zod'
import { addressSchema, bytes32Schema, percentageSchema } from '../../service/wire-fields.js'
import { aggregateSchema } from '../books/score-book.js'
import { DEFAULT_CHAIN_ID, TEXT_LIMITS } from '../choices.js'
import { WALLET_SESSION } from '../http/openapi.js'
import { RegisterBody, refusedWith, WireMediaAsset } from '../http/wire.js'

/** Schemas of the wallet-session routes, as exact as this service is. */

export const HealthReply = z.looseObject({ ok: z.literal(true) })

/** The wallet that is going to sign, in either case; whether it has a role is asked only at the sign-in. */
export const ChallengeQuery = z.object({ address: addressSchema })
/** The message is signed as it is; the nonce, which it contains, names the challenge in the body of the sign-in. */
export const ChallengeReply = z.looseObject({
  message: z.string().meta({ description: 'Text to sign with EIP-191 personal sign; single-use.' }),
  nonce: z.string(),
  expiresAt: z.int().meta({ description: 'Unix seconds.' }),
})

/** Uses its challenge up, whether or not the signature (r, s, v: 65 bytes) holds. */
export const SessionBody = z.looseObject({
  nonce: z.string().min(1).max(200),
  signature: z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{130}$/)], 'must be 0x and 130 hex characters'),
})
/** The address is lower case. The roles are those at the sign-in: the token has them until it expires. */
export const SessionReply = z.looseObject({
  token: z.string(),
  expiresAt: z.int().meta({ description: 'Unix seconds.' }),
  address: z.string(),
  roles: z.array(z.enum(['submitter', 'attester'])),
})

/** Another chain than the registry's passes here and is answered with 503: there is no endpoint for it. */
export const ChainQuery = z.object({
  chainId: z
    .string()
    .regex(/^[0-9]{1,15}$/, 'must be an integer')
    .optional()
    .meta({ description: `Default ${DEFAULT_CHAIN_ID}.` }),
})
/** The service time of this API: clients time their attestations by it. */
export const ChainReply = z.looseObject({
  chainId: z.int(),
  number: z.int().meta({ description: 'Of the latest block.' }),
  timestamp: z.int().meta({ description: 'Of that block, Unix seconds.' }),
})

/** `myScore` is left out, because this API has no query for it; `mediaType` only where the submitter stated it. */
export const SessionAsset = WireMediaAsset.omit({ myScore: true })
  .extend({ mediaType: WireMediaAsset.shape.mediaType.optional() })
  .meta({ id: 'SessionAsset', description: 'An asset as the wallet-session API has it.' })
/** What `sessionAssetView` makes of an asset on the books; lists and stream events add the aggregate. */
export type SessionAsset = z.infer<typeof SessionAsset>

/** Unlike on the signed-key API, which ignores it, `ownerAddress` is asked for and checked (403). */
export const AssetBody = RegisterBody.extend({
  ownerAddress: addressSchema.meta({ description: 'Must be the wallet of the session.' }),
})
/** Sent with 201, without the aggregate that lists have. */
export const AssetCreatedReply = z.looseObject({ asset: SessionAsset })
/** In either case; it can only repeat who the session is of, another wallet is refused with 403. */
export const OwnerQuery = z.object({ owner: addressSchema.meta({ description: 'Must be the wallet of the session.' }) })

const ListedAsset = SessionAsset.extend({ aggregate: aggregateSchema }).meta({ id: 'ListedAsset' })
/** Of the open assets, and of a submitter's own, open and closed; in the order of registration. */
export const AssetsReply = z.looseObject({ assets: z.array(ListedAsset) })

const SessionScore = z
  .looseObject({
    id: z.string(),
    assetId: z.string(),
    attesterAddress: addressSchema,
    authenticityScore: percentageSchema,
    deepfakeRiskBps: z.int().min(0).max(10_000),
    deepfakeRiskScore: percentageSchema,
    algorithm: z.string(),
    notes: z.string(),
    attestationUid: bytes32Schema.nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'SessionScore' })

/** Any asset, also after it closed, with the scores of all attesters, those of the signed-key API among them. */
export const AssetReply = z.looseObject({
  asset: SessionAsset,
  scores: z.array(SessionScore),
  aggregate: aggregateSchema,
})

/** The risk counts in basis points; authenticity that is off by more than AUTHENTICITY_TOLERANCE is refused. */
export const ScoreBody = z.looseObject({
  authenticityScore: percentageSchema,
  deepfakeRiskBps: z.int().min(0).max(10_000),
  algorithm: z.string().min(1).max(TEXT_LIMITS.algorithm),
  offchainAttestation: z.looseObject({}).meta({ description: 'An EAS off-chain attestation, as JSON.' }),
  notes: z.string().max(TEXT_LIMITS.notes).optional(),
  signature: z.string().optional().meta({ description: 'Ignored.' }),
})
/** Sent with 201 for a new score, with 200 for one that repeats the score on record. */
export const ScoreCreatedReply = z.looseObject({ score: SessionScore, aggregate: aggregateSchema })

const PlainError = z
  .looseObject({ error: z.string() })
  .meta({ id: 'PlainError', description: 'Every refusal of the wallet-session API has this body.' })

/** The response entries of the statuses that a route can refuse with. */
export const plainRefusals = <Status extends number>(...statuses: Status[]) => refusedWith(PlainError, statuses)

/** The schema of a route behind a session. @param statuses those that it refuses with */
export function sessionSchema<Replies extends object, Status extends number>(
  role: 'attester' | 'submitter',
  summary: string,
  replies: Replies,
  ...statuses: Status[]
) {
  const response = { ...replies, ...plainRefusals(...statuses) }
  return { tags: [`session ${role}`], summary, security: WALLET_SESSION, response }
}

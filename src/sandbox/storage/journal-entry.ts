import { z } from 'zod'
import { MEDIA_TYPES } from '../../core/media-types.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ApiKey } from '../books/key-ring.js'
import type { ScoreRecord } from '../books/score-book.js'

const Wei = z.string().regex(/^\d{1,78}$/)
const Wallet = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)])

// Loose: a field that a book gains later is kept although it is not named here.
const Asset: z.ZodType<SandboxAsset> = z.looseObject({
  id: z.string().min(1),
  title: z.string(),
  mediaContext: z.string(),
  contentType: z.string(),
  contentHash: z.string(),
  uri: z.string(),
  contributorAttestationUid: z.string(),
  verificationDeadline: z.string(),
  mediaType: z.enum(MEDIA_TYPES).nullable(),
  turnaround: z.enum(['standard', 'priority_5min']),
  ownerAddress: z.string(),
  createdAt: z.number(),
  deadlineAt: z.number(),
  switchedOff: z.boolean(),
})

const Score: z.ZodType<ScoreRecord> = z.looseObject({
  id: z.string().min(1),
  assetId: z.string().min(1),
  attesterAddress: z.string(),
  deepfakeRiskScore: z.number(),
  algorithm: z.string(),
  notes: z.string(),
  createdAt: z.number(),
})

const Key: z.ZodType<ApiKey> = z.looseObject({
  id: z.string().min(1),
  kind: z.enum(['attester', 'submitter']),
  label: z.string(),
  accessKey: z.string().min(1),
  signingSecret: z.string().min(1),
  wallet: z.string().nullable(),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
})

/** The first line of a journal: what it is and in which version. */
export const JOURNAL_HEADER = { journal: 'attestd-sandbox', version: 1 } as const
/** Strict: a file of another version, or of another program, is refused and left as it is (sandbox-data-invalid). */
export const JournalHeaderSchema = z.strictObject({ journal: z.literal('attestd-sandbox'), version: z.literal(1) })

/** One line of the journal: what a thing is from now on. Amounts are wei as decimal strings. */
export const JournalEntrySchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('asset'), asset: Asset }),
  z.strictObject({ type: z.literal('score'), score: Score }),
  z.strictObject({ type: z.literal('key'), key: Key }),
  z.strictObject({ type: z.literal('stake'), wallet: Wallet, stakedWei: Wei }),
  z.strictObject({ type: z.literal('minimum'), minStakeWei: Wei }),
  z.strictObject({ type: z.literal('roles'), wallet: Wallet, attester: z.boolean(), submitter: z.boolean() }),
  z.strictObject({
    type: z.literal('wallet'),
    wallet: Wallet,
    privateKey: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]),
  }),
  /** The switch back to the start: no assets and scores, stake and roles as at first. */
  z.strictObject({ type: z.literal('reset') }),
])
/** A later line replaces an earlier one about the same thing; `KeptState` adds them up. */
export type JournalEntry = z.infer<typeof JournalEntrySchema>

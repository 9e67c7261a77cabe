import { z } from 'zod'
import { MEDIA_TYPES } from '../../core/media-types.js'
import type { SandboxAsset } from '../books/asset-book.js'
import type { ApiKey } from '../books/key-ring.js'
import type { ScoreRecord } from '../books/score-book.js'
import { isPrivateKey } from '../books/wallets.js'

const Secret = z.string().min(1)
const Wei = z.string().regex(/^\d{1,78}$/)
const Wallet = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)])
const PrivateKey = z.custom<`0x${string}`>((value) => typeof value === 'string' && isPrivateKey(value))
const KeyPair = z.strictObject({ accessKey: Secret, signingSecret: Secret })

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
  accessKey: Secret,
  signingSecret: Secret,
  wallet: z.string().nullable(),
  createdAt: z.number(),
  revokedAt: z.number().nullable(),
})

/** Secrets and names that are the same after a restart. */
const Identity = z.strictObject({
  /** Goes into every asset id. */
  run: z.string(),
  /** Of the dashboard. */
  sessionToken: Secret,
  /** Signs the sessions of wallets. */
  sessionSecret: Secret,
  attesterKey: KeyPair,
  submitterKey: KeyPair,
  wallets: z.strictObject({ attester: PrivateKey, submitter: PrivateKey }),
})
/** What a sandbox is called and proves itself by, for as long as its folder lives. */
export type Identity = z.infer<typeof Identity>

const Books = z.strictObject({
  assets: z.array(Asset),
  scores: z.array(Score),
  keys: z.array(Key),
  /** Private keys of the wallets that the sandbox made for new keys. */
  wallets: z.array(PrivateKey),
  staked: z.record(Wallet, Wei),
  minStakeWei: Wei.nullable(),
  roles: z.record(Wallet, z.strictObject({ submitter: z.boolean(), attester: z.boolean() })),
})
/** The state of the books; stake and roles are those of `StakeRegistry.kept`. */
export type KeptBooks = z.infer<typeof Books>

/** What `state.json` holds. */
export const KeptStateSchema = z.strictObject({ version: z.literal(2), identity: Identity, books: Books })
/** One state of the sandbox, whole. */
export type KeptState = z.infer<typeof KeptStateSchema>

/** The books of a new sandbox. */
export const EMPTY_BOOKS: KeptBooks = {
  assets: [],
  scores: [],
  keys: [],
  wallets: [],
  staked: {},
  minStakeWei: null,
  roles: {},
}
